/// Whether git lists a folder that the server makes: the plain lines of `.gitignore`, without its patterns
/// (gitignore(5), "PATTERN FORMAT").
enum GitIgnore {
    /// Whether a name in a folder would be listed: the folder is in a repository, and no line of an ignore file has the name.
    static func lists(_ name: String, in folder: String) -> Bool {
        guard var folder = Files.realPath(folder) else { return false }
        for _ in 0..<foldersMax {
            if ignores(name, Files.path(".gitignore", in: folder)) { return false }
            if Files.exists(Files.path(".git", in: folder)) {
                return !ignores(name, Files.path(".git/info/exclude", in: folder))
            }
            guard folder != "/" else { return false }
            folder = Files.folder(of: folder)
        }
        return false
    }

    private static func ignores(_ name: String, _ file: String) -> Bool {
        guard let bytes = try? Files.read(file, bytesMax: fileBytesMax) else { return false }
        let spellings: Set<Substring> = [".*", ".*/", "*"]
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
            let end = line.lastIndex { !$0.isWhitespace }.map { line[...$0] } ?? ""
            var text = end
            for prefix in ["**/", "/"] where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
            for suffix in ["/**", "/*", "/"] where text.hasSuffix(suffix) { text = text.dropLast(suffix.count) }
            return text == name || spellings.contains(end)
        }
    }

    /// How many folders are looked at upwards.
    private static let foldersMax = 64
    /// The largest ignore file that is read, in bytes.
    private static let fileBytesMax = 1 << 20
}
