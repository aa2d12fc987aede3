import Foundation

@testable import Amplify

extension AmplifyProject {
    /// Reads a project that nothing is wrong with.
    static func read(_ folder: ProjectFolder, _ options: ReadingOptions) throws(ProjectError) -> AmplifyProject {
        let (project, error) = examine(folder, options)
        if let error { throw error }
        return project
    }
}

/// A sample project in memory, whose files a test may change.
struct SampleProject {
    var files: [String: String]

    init(files: [String: String]) { self.files = files }

    init(_ name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
        files = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            let url = root.appending(path: path)
            if let text = try? String(contentsOf: url, encoding: .utf8) { files[path] = text }
        }
    }

    static var chat: SampleProject { get throws { try SampleProject("chat-v1") } }
    static var landmarks: SampleProject { get throws { try SampleProject("landmarks-v2-auth") } }
    static var booking: SampleProject { get throws { try SampleProject("booking-datastore") } }

    func read(_ options: ReadingOptions = ReadingOptions()) throws(ProjectError) -> AmplifyProject {
        try AmplifyProject.read(ProjectFolder(files: files), options)
    }

    /// Why the project cannot be read; nil if it can.
    func error(_ options: ReadingOptions = ReadingOptions()) -> ProjectError? {
        AmplifyProject.examine(ProjectFolder(files: files), options).error
    }

    /// Replaces a text in a file.
    mutating func replace(_ text: String, with other: String, in path: String) {
        precondition(files[path]?.contains(text) == true, "\(path) has no \(text)")
        files[path] = files[path]?.replacing(text, with: other)
    }
}
