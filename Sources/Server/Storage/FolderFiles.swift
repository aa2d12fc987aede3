/// The files of a folder that `files sync` uploads, and what it leaves out.
struct FolderFiles {
    /// Something in the folder.
    struct Entry: Sendable, Hashable {
        /// The path in the folder.
        var name: String
        /// Why it cannot be uploaded; nil for a file that can be.
        var reason: String?
    }

    private let root: String
    private(set) var entries: [Entry] = []

    /// Reads a folder and those below it, in the order of names. Hidden files and folders are left out without an entry. There
    /// is no bound on depth: the system bounds the length of a path, and a link to a folder above is not followed.
    init(of folder: String) throws(Files.Failure) {
        root = folder.utf8.last == UInt8(ascii: "/") ? folder : "\(folder)/"
        let names = try Files.names(inFolder: folder)
        read(names, below: "", inside: [Files.realPath(folder) ?? folder])
    }

    /// - Parameter folders: The paths without links of the folders that the names are in.
    private mutating func read(_ names: [String], below prefix: String, inside folders: [String]) {
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            let path = prefix + name
            guard Files.isFolder(root + path) else {
                entries.append(Entry(name: path, reason: Files.problemReading(root + path)))
                continue
            }
            let realPath = Files.realPath(root + path) ?? root + path
            guard !folders.contains(where: { $0.utf8.elementsEqual(realPath.utf8) }) else {
                entries.append(Entry(name: path, reason: "It links to a folder that it is in"))
                continue
            }
            do throws(Files.Failure) {
                read(try Files.names(inFolder: root + path), below: path + "/", inside: folders + [realPath])
            } catch {
                entries.append(Entry(name: path, reason: error.reason))
            }
        }
    }
}
