import Analytics
import Encodings
import JSON

/// The app that `dev` creates for a data folder and stores in it.
enum DeveloperApp {
    static let fileName = "analytics-app.json"

    /// The app of a folder; nil if it has none.
    static func read(in folder: String) -> AnalyticsApp? {
        guard let bytes = try? Files.read("\(folder)/\(fileName)", bytesMax: 1 << 16),
            let id = (try? JSONReader.read(bytes))?["appId"]?.stringValue, AnalyticsApp.isID(id)
        else { return nil }
        return AnalyticsApp(id: id, name: "syncline")
    }

    /// Creates the app of a folder.
    ///
    /// - Parameter known: Its id, if the folder already has events of it; nil to create an id.
    static func make(in folder: String, known: String?) throws(ServerError) -> AnalyticsApp {
        var random = SystemRandomNumberGenerator()
        let id = known ?? Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        do throws(Files.Failure) {
            try Files.replacePrivately("\(folder)/\(fileName)", with: Array((#"{"appId":"\#(id)"}"# + "\n").utf8))
        } catch {
            throw ServerError(.data, "Cannot write \(folder)/\(fileName): \(error.reason).")
        }
        return AnalyticsApp(id: id, name: "syncline")
    }
}
