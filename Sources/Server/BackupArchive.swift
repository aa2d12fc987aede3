/// A backup as one file: a tar archive (POSIX.1-2017, pax) of the backup's file and its folder of objects, which the system's
/// `tar` writes and reads. Any other program for the format unpacks it as well. Keys of user pools are never in it.
public enum BackupArchive {
    /// The name of the backup's file in the archive.
    private static let name = "backup"

    /// Makes a backup beside the archive's place and packs it. An earlier archive is replaced when this one is complete.
    ///
    /// - Parameter backUp: Makes a backup with a name.
    public static func make(
        _ file: String, of configuration: Configuration, replaces: Bool, backUp: (_ file: String) async throws -> Void
    ) async throws {
        try Backups.check(file, of: configuration, replaces: replaces)
        let work = try WorkFolder.make(beside: file, suffix: BackupObjects.workSuffix, for: "backup to \(file)")
        defer { work.remove() }
        let (folder, archive) = (Files.path("content", in: work.path), Files.path("archive", in: work.path))
        do throws(Files.Failure) {
            try Files.makePrivateFolder(folder)
            try Files.create(archive, holding: "")
        } catch {
            throw ServerError(.failed, "Cannot write to \(work.path): \(error.reason).")
        }
        try await backUp(Files.path(name, in: folder))
        try tar(["-cf", Files.absolute(archive), "-C", folder, "."], "written to", file)
        // Another program may have made the file meanwhile.
        try Backups.check(file, of: configuration, replaces: replaces)
        do throws(Files.Failure) {
            try LocalFile.reading(archive).synchronize()
            try Files.move(archive, to: file)
        } catch {
            throw ServerError(.failed, "Cannot write \(file): \(error.reason).")
        }
        Files.synchronizeFolder(Files.folder(of: file))
    }

    /// Calls `body` with the backup in an archive, unpacked beside the data folder, or with the file itself if it is none.
    public static func with<Value>(
        _ file: String, for configuration: Configuration, _ body: (_ file: String) throws -> Value
    ) throws -> Value {
        guard isArchive(file) else { return try body(file) }
        var path = Files.absolute(configuration.data.folder)
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        let work = try WorkFolder.make(
            beside: path, suffix: "unpacked", for: "restore to \(configuration.data.folder)")
        defer { work.remove() }
        let folder = Files.path("content", in: work.path)
        do throws(Files.Failure) { try Files.makePrivateFolder(folder) } catch {
            throw ServerError(.data, "Cannot make the folder \(folder): \(error.reason).")
        }
        try tar(["-xf", Files.absolute(file), "-C", folder], "read from", file)
        let unpacked = Files.path(name, in: folder)
        // A link would lead to files that are not of the archive.
        let objects = unpacked + BackupObjects.suffix
        let shards = ((try? Files.names(inFolder: objects)) ?? []).map { Files.path($0, in: objects) }
        let others = [unpacked, objects] + shards + Files.tree(objects)
        guard Files.exists(unpacked), others.allSatisfy({ Files.target(ofLink: $0) == nil }) else {
            throw ServerError(.data, "\(file) is an archive, but none that 'syncline backup --archive' wrote.")
        }
        return try body(unpacked)
    }

    /// Whether a file is a tar archive: the word "ustar" stands at byte 257 (POSIX.1-2017, pax, "ustar Interchange Format").
    private static func isArchive(_ file: String) -> Bool {
        guard let head = try? LocalFile.reading(file).read(512), head.count == 512 else { return false }
        return head[257..<262].elementsEqual("ustar".utf8)
    }

    /// Whether a file that begins with these bytes is an archive of a backup: one of its first entries is that of the backup's file
    /// or its folder of objects.
    static func isOwn(beginningWith head: [UInt8]) -> Bool {
        let names = ["./\(name)\0", "./\(name)\(BackupObjects.suffix)/"]
        return stride(from: 0, to: head.count - head.count % 512, by: 512).contains { start in
            head[(start + 257)..<(start + 262)].elementsEqual("ustar".utf8)
                && names.contains { head[start...].starts(with: $0.utf8) }
        }
    }

    private static func tar(_ arguments: [String], _ verb: String, _ file: String) throws(ServerError) {
        let code: Int32
        do throws(Files.Failure) { code = try Subprocess.run(["tar"] + arguments) } catch {
            throw ServerError(.failed, "The program tar cannot be run.", hint: "Install it, or leave --archive out.")
        }
        guard code == 0 else {
            throw ServerError(.failed, "The archive could not be \(verb) \(file): tar ended with \(code).")
        }
    }
}
