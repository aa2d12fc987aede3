extension Files {
    /// Where a client file is written: at its path, or where the link at its path leads, so that the link stays.
    ///
    /// A link is part of a project, which may be a stranger's, and may lead anywhere. It is followed to a file of the same name,
    /// or in the same folder.
    ///
    /// - Returns: Nil for a link that leads elsewhere or to nothing.
    public static func pathOfClientFile(at path: String) -> String? {
        guard target(ofLink: path) != nil else { return path }
        guard let real = realPath(path), let folder = realPath(folder(of: path)) else { return nil }
        let hasName = name(of: real) == name(of: path)
        return hasName || self.folder(of: real) == folder ? real : nil
    }
}
