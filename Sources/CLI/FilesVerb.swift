import ArgumentParser
import Encodings
import JSON
import Server

/// `syncline files …`
struct FilesVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Lists, reads and stores objects of buckets; a server may run meanwhile.",
        discussion: "An object is named as BUCKET/KEY or s3://BUCKET/KEY.",
        subcommands: [
            List.self, Get.self, Put.self, Copy.self, Remove.self, Sync.self, URL.self, Credentials.self,
        ])

    /// Prints a result as JSON or as a sentence.
    private static func say(_ isJSON: Bool, _ result: JSONObject, _ sentence: String) {
        isJSON ? Terminal.show(JSONValue.object(result).description) : Terminal.say(PrintableText.line(sentence))
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the buckets, or the objects of a bucket by the prefix of their keys.")

        @Argument(help: "BUCKET or BUCKET/PREFIX.")
        var path: String?

        @Flag(name: .long, help: "Print a line of JSON for each object.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in
                guard let path else {
                    for name in try await client.buckets() {
                        Terminal.say(json ? JSONValue.object(["bucket": .string(name)]).description : name)
                    }
                    return
                }
                try await client.list(try FilesPath(path)) { page in
                    for file in page {
                        let size = String(file.size)
                        let blanks = String(repeating: " ", count: max(0, 12 - size.count))
                        Terminal.show(
                            json
                                ? file.json.description
                                : "\(file.modified)  \(blanks)\(size)  \(PrintableText.line(file.key))")
                    }
                }
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "get", abstract: "Reads an object into a file.")

        @Argument(help: "BUCKET/KEY.")
        var path: String

        @Argument(help: "The file to write; without it, the last part of the key.")
        var file: String?

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let path = try FilesPath(path)
            let name = file ?? FilesPath.lastPart(of: path.key)
            try AmplifyFolder.refuseWriting(file: name, of: "FILE")
            let bar = ProgressBar()
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in
                try await client.get(path, to: name) { bar.show(name, $0, nil) }
            }
            bar.end()
            FilesVerb.say(
                json, ["bucket": .string(path.bucket), "key": .string(path.key), "file": .string(name)],
                "\(path.bucket)/\(path.key) is in \(name).")
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "put", abstract: "Stores a file as an object.")

        @Argument(help: "The file.")
        var file: String

        @Argument(help: "BUCKET/KEY; a key that ends with a slash is completed by the file's name.")
        var path: String

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            var path = try FilesPath(path)
            if path.key.isEmpty || path.key.utf8.last == UInt8(ascii: "/") { path.key += FilesPath.lastPart(of: file) }
            let (target, bar) = (path, ProgressBar())
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in
                try await client.put(file, to: target) { bar.show(target.key, $0, $1) }
            }
            bar.end()
            FilesVerb.say(
                json, ["bucket": .string(target.bucket), "key": .string(target.key), "file": .string(file)],
                "\(file) is stored as \(target.bucket)/\(target.key).")
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "cp", abstract: "Copies an object.")

        @Argument(help: "BUCKET/KEY of the object.")
        var source: String

        @Argument(help: "BUCKET/KEY of the copy.")
        var path: String

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let (source, path) = (try FilesPath(source), try FilesPath(path))
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in
                try await client.copy(source, to: path)
            }
            FilesVerb.say(
                json,
                [
                    "bucket": .string(path.bucket), "key": .string(path.key),
                    "source": ["bucket": .string(source.bucket), "key": .string(source.key)],
                ], "\(source.bucket)/\(source.key) is copied to \(path.bucket)/\(path.key).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "rm", abstract: "Removes an object.")

        @Argument(help: "BUCKET/KEY.")
        var path: String

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let path = try FilesPath(path)
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in try await client.remove(path) }
            FilesVerb.say(
                json, ["bucket": .string(path.bucket), "key": .string(path.key)],
                "\(path.bucket)/\(path.key) is removed.")
        }
    }

    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync", abstract: "Stores the files of a folder that differ from their objects.",
            discussion: """
                Hidden files are left out, and no object is removed. Everything else that cannot be read as a file is \
                reported and left out; then the exit code is 1.
                """)

        @Argument(help: "The folder.")
        var source: String

        @Argument(help: "BUCKET or BUCKET/PREFIX.")
        var path: String

        @Flag(name: .long, help: "Print a line of JSON for each file.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let (path, bar) = (try FilesPath(path), ProgressBar())
            var (storedCount, equalCount, leftOutCount) = (0, 0, 0)
            try await FilesClient.with(try Configuration.load(folder.texts)) { client in
                try await client.synchronize(source, to: path, progress: bar.show) { name, outcome in
                    bar.end()
                    var line: JSONObject = ["file": .string(name), "stored": .bool(outcome == .stored)]
                    switch outcome {
                    case .stored: storedCount += 1
                    case .equal: equalCount += 1
                    case .leftOut(let reason):
                        leftOutCount += 1
                        line["leftOut"] = .string(reason)
                        if !json { Terminal.complain("warning: \(PrintableText.line(name)) is left out: \(reason).") }
                    }
                    if json { Terminal.show(JSONValue.object(line).description) }
                }
            }
            if !json {
                let leftOut = leftOutCount == 0 ? "" : ", \(leftOutCount) left out"
                Terminal.say("\(storedCount) stored, \(equalCount) equal already\(leftOut).")
            }
            if leftOutCount > 0 { throw ExitCode(ServerError.Code.failed.rawValue) }
        }
    }

    struct URL: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "url", abstract: "Prints a presigned URL, by which anybody can get an object for some time.")

        @Argument(help: "BUCKET/KEY.")
        var path: String

        @Option(name: .long, help: "How long it is valid, in seconds, 1 to 604800; 3600 if not given.")
        var expires: Int?

        @Option(
            name: .long, help: "The base of the URL, http://HOST:PORT; publicURL or the server's address if not given.")
        var endpoint: String?

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let configuration = try Configuration.load(folder.texts)
            Terminal.say(
                try await FilesClient.url(
                    try FilesPath(path), configuration, endpoint: endpoint, seconds: expires ?? 3_600))
        }
    }

    struct Credentials: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "credentials",
            abstract: "Prints an operator's access key as environment variables of the AWS clients.")

        @Flag(name: .long, help: "Print them as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let key = try FilesClient.credentials(try Configuration.load(folder.texts))
            let variables = [
                ("AWS_ACCESS_KEY_ID", key.id), ("AWS_SECRET_ACCESS_KEY", key.secret),
                ("AWS_DEFAULT_REGION", key.region),
            ]
            guard !json else {
                return Terminal.say(
                    JSONValue.object(JSONObject(variables.map { ($0, .string($1)) })).description)
            }
            for (name, value) in variables { Terminal.say("export \(name)=\(ShellWord.quoted(value))") }
        }
    }
}
