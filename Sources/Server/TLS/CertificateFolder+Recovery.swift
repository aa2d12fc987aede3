/// A renewal replaces the folder in two steps: it renames the old one, then the new one. A process that is killed on the way
/// leaves folders beside it, with keys of authorities. A process that makes or replaces an authority locks the parent folder, so
/// a folder that exists while the lock is held belongs to no running process.
extension CertificateFolder {
    /// The beginning of the names of folders that are not in their place yet. It must not begin the folder names of another
    /// authority: recovery would take its folders for its own.
    var draftPrefix: String {
        switch kind {
        case .local: ".tls"
        case .awsNames: ".aws.\(name)."
        }
    }
    /// The beginning of the names of folders that are being replaced.
    var replacedPrefix: String { "\(draftPrefix)-replaced" }

    /// Undoes what an interrupted renewal left: an authority that was moved aside, and may be trusted, is put back
    /// if there is no other, and what else is left is removed.
    func recover() throws(ServerError) {
        guard !leftFolders.isEmpty, let lock = lockParent() else { return }
        defer { lock.release() }
        do throws(Files.Failure) {
            try recoverLocked()
        } catch {
            throw ServerError(.data, "Cannot put the certificate authority back to \(path): \(error.reason).")
        }
    }

    /// The same, for one who holds the lock.
    func recoverLocked() throws(Files.Failure) {
        var left = leftFolders
        if !Files.exists(path), let index = replacedIndex(in: left) {
            try Files.move(left.remove(at: index), to: path)
        }
        for folder in left { Files.removeFolder(folder) }
    }

    /// Locks the folder that this one is in; nil where the file system has no locks for folders.
    func lockParent() -> Files.Lock? { try? Files.Lock(folder: parent) }

    private var leftFolders: [String] {
        let names = (try? Files.names(inFolder: parent)) ?? []
        return names.filter { $0.hasPrefix(draftPrefix + "-") }.map { "\(parent)/\($0)" }
            .filter { Files.isFolder($0) && Files.target(ofLink: $0) == nil }
    }

    /// Which folder was in this one's place. Versions that gave both the same prefix left the replaced one beside one
    /// that has its certificate as the previous authority's.
    private func replacedIndex(in folders: [String]) -> Int? {
        func text(_ name: String, _ folder: String) -> [UInt8]? { try? Files.read("\(folder)/\(name)") }
        let replaced = folders.firstIndex {
            $0.hasPrefix("\(parent)/\(replacedPrefix)-") && text(Self.authorityName, $0) != nil
        }
        if let replaced { return replaced }
        let whole = folders.indices.filter { index in
            Self.neededNames.allSatisfy { text($0, folders[index]) != nil }
        }
        let previous = whole.compactMap { text(Self.previousName, folders[$0]) }
        return whole.first { text(Self.authorityName, folders[$0]).map(previous.contains) ?? false } ?? whole.first
    }
}
