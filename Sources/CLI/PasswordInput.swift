import ArgumentParser
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A password as a verb is given it: as an argument, or in a file, which no list of processes shows.
enum PasswordInput {
    /// The password; nil where none is given.
    ///
    /// - Parameter file: Its first line is the password; `-` is standard input.
    static func password(_ password: String?, file: String?) throws -> String? {
        guard let file else { return password }
        guard password == nil else { throw ValidationError("Give the password or --password-file, and not both.") }
        let line: String?
        if file == "-" {
            line = readLine(strippingNewline: true)
        } else {
            do {
                let text = try String(contentsOfFile: file, encoding: .utf8)
                line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init)
            } catch {
                throw ServerError(.usage, "Cannot read the password file \(file).")
            }
        }
        guard let line, !line.isEmpty else {
            throw ServerError(.usage, file == "-" ? "Standard input has no password." : "\(file) has no password.")
        }
        return line
    }
}
