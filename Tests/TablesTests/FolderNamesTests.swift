import Foundation
import Testing

@testable import Tables

@Suite("The names in a folder")
struct FolderNamesTests {
    @Test("they are those of all entries, hidden ones too, without the folder itself and the one above it")
    func names() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/b ä", withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: folder.path + "/.hidden", contents: nil))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "nowhere")
        #expect(try FolderNames.read(folder.path).sorted() == [".hidden", "b ä", "link"])
        #expect(try FolderNames.read(folder.path + "/b ä") == [])
    }

    @Test("what is no folder is refused with the number of the system's error")
    func failures() throws {
        let folder = TemporaryFolder()
        func code(_ path: String) -> CInt? {
            do throws(FolderNames.Failure) {
                _ = try FolderNames.read(path)
                return nil
            } catch { return error.code }
        }
        #expect(code(folder.path) == ENOENT)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: folder.path + "/file", contents: nil))
        #expect(code(folder.path + "/file") == ENOTDIR)
    }
}
