import CConsole
import Crypto
import Encodings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files of the console's pages: those in the program or, in a debug build, those of the folder that
/// `SYNCLINE_CONSOLE_FROM` names, read at each request.
final class ConsoleFiles: Sendable {
    /// The page that all paths of the console answer.
    static let shell = "index.html"
    /// Without this third-party file no page works.
    static let needed = "preact-htm.js"
    static let fileBytesMax = 8 << 20

    /// The files of this process, made when they are first asked for.
    static let shared = ConsoleFiles(from: folderOfEnvironment)

    private let files: [String: ConsoleFile]
    private let folder: String?
    /// The hash of all files, which their URLs contain.
    let hash: String

    /// - Parameter folder: The folder of the files; nil for those in the program.
    init(from folder: String?) {
        self.folder = folder
        guard folder == nil else {
            (files, hash) = ([:], "disk")
            return
        }
        var files: [String: ConsoleFile] = [:]
        var hasher = SHA256()
        for (path, bytes) in Self.embedded where !bytes.isEmpty {
            hasher.update(data: Array("\(path)\n\(bytes.count)\n".utf8))
            hasher.update(data: bytes)
            files[path] = ConsoleFile(bytes, path: path)
        }
        self.files = files
        hash = Hexadecimal.text(of: hasher.finalize().prefix(8))
    }

    /// The rows of the table in the program.
    ///
    /// Memory safety: the table's bytes are constants of the program, as many as its row says, and copied here.
    static var embedded: [(path: String, bytes: [UInt8])] {
        (0..<cconsole_file_count()).map { index in
            let file = unsafe cconsole_file_at(index)
            let bytes = unsafe [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
            return unsafe (String(cString: file.path), bytes)
        }
    }

    /// Whether files may change while the process runs.
    var isFromDisk: Bool { folder != nil }

    /// A file; nil if there is none of this path.
    func file(_ path: String) -> ConsoleFile? {
        guard let folder else { return files[path] }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isName) else { return nil }
        for place in ["\(folder)/\(path)", "\(folder)/../.build/console/\(path)"] {
            if let bytes = try? Files.read(place, bytesMax: Self.fileBytesMax) { return ConsoleFile(bytes, path: path) }
        }
        return nil
    }

    /// Letters, digits, `.`, `_` and `-`, without a dot at the beginning: no such part leads out of the folder.
    private static func isName(_ part: Substring) -> Bool {
        !part.isEmpty && part.first != "."
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    private static var folderOfEnvironment: String? {
        #if DEBUG
        unsafe getenv("SYNCLINE_CONSOLE_FROM").map { unsafe String(cString: $0) }
        #else
        nil
        #endif
    }
}
