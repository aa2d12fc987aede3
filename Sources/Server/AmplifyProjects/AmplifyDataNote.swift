import Amplify
import JSON

/// What a data folder remembers of the Amplify project whose data it keeps: `amplify-project.json`. Data of one environment
/// is not served as that of another.
enum AmplifyDataNote {
    static let name = "amplify-project.json"

    /// Refuses the data of another project, API or environment.
    static func check(_ configuration: Configuration) throws(ServerError) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral,
            let bytes = try? Files.read(path(configuration), bytesMax: 1 << 16),
            let note = try? JSONReader.read(bytes)
        else { return }
        let now = [project.name, project.api ?? "", project.environment]
        let then = ["project", "api", "environment"].map { note[$0]?.stringValue ?? "" }
        guard now != then else { return }
        throw ServerError(
            .invalid,
            "The data folder \(configuration.data.folder) is of the Amplify project \(then[0]), API \(then[1]), environment "
                + "\(then[2]), and not of \(now[0]), \(now[1]), \(now[2]).",
            hint: "Name another folder with --data, or the environment with --env \(then[2]).")
    }

    /// Notes the project in the folder, once the data is open.
    static func write(_ configuration: Configuration) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral else { return }
        let note: JSONValue = [
            "project": .string(project.name), "api": .string(project.api ?? ""),
            "environment": .string(project.environment),
        ]
        // Without the note the next start is not checked; it serves the same data.
        try? Files.write("\(note)\n", to: path(configuration), isPrivate: true)
    }

    private static func path(_ configuration: Configuration) -> String {
        Files.path(name, in: configuration.data.folder)
    }
}
