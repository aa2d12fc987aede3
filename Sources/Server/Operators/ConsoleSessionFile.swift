import JSON

/// Where `dev` keeps the sessions of its developer: a file in the user's own folder, readable by the user alone, so that a
/// restart signs nobody out, even if the data is thrown away. The servers of a user share it; a lock serializes writers.
struct ConsoleSessionFile: Sendable {
    /// The folder of the user's programs.
    let folder: String

    var path: String { "\(folder)/console-sessions.json" }

    /// The sessions; none if there is no file, or if it cannot be read.
    func read() -> [ConsoleSession] {
        guard let bytes = try? Files.read(path, bytesMax: ConsoleLimits.fileBytesMax) else { return [] }
        return (try? JSONReader.read(bytes))?["sessions"]?.arrayValue?.compactMap(ConsoleSession.init) ?? []
    }

    /// Changes the sessions, one change at a time.
    ///
    /// - Returns: What the file holds now.
    func change(_ body: (inout [ConsoleSession]) -> Void) throws(Files.Failure) -> [ConsoleSession] {
        try Files.makeFolder(folder)
        let lock = try Files.Lock("\(folder)/console-sessions.lock")
        defer { lock.release() }
        var sessions = read()
        body(&sessions)
        let value = JSONValue.object(["sessions": .array(sessions.map(\.value))])
        try Files.write("\(value)\n", to: path, isPrivate: true, isDurable: true)
        return sessions
    }
}
