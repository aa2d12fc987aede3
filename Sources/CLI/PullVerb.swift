public import ArgumentParser
public import Codegen
import JSON
import Server
import Transformer

/// `syncline pull`
struct PullVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Writes the configuration files of Amplify's clients.",
        discussion: """
            Without URL the files are those of the server that runs on the folder, or, where none runs, of what 'syncline \
            dev' would serve. With URL the server answers an operator of the role editor, whose token is in \
            SYNCLINE_OPERATOR_TOKEN or in the file of --token-file; 'syncline dev' answers programs on its own machine \
            without one. Members of a file that are not known here are kept. Ids of an Amplify project that no other file of it has, \
            and the amplify_outputs.json of a project of Gen 2, are replaced with --force only.
            """)

    /// The variable that has an operator's token.
    private static let tokenVariable = "SYNCLINE_OPERATOR_TOKEN"

    @Argument(help: "The server, such as http://127.0.0.1:20002.")
    var url: String?

    @Option(name: .long, help: "The folder to write to.")
    var out = "."

    @Option(
        name: .long,
        help: """
            A file to write: amplifyconfiguration.json, awsconfiguration.json, amplify_outputs.json or aws-exports.js. May \
            be repeated. If not given, those of them that the folder has, or else the first two, and of a project of Gen 2 \
            the third.
            """)
    var format: [ClientFile] = []

    @Option(
        name: .long,
        help: """
            Where the app runs: simulator, emulator (Android's), device; or the server's host, or host and port, as the app \
            has it.
            """)
    var host: String?

    @Option(name: .long, help: "The file that has the operator's token.")
    var tokenFile: String?

    @Option(
        name: .long, help: "A certificate authority to trust beside the system's, such as that of 'syncline trust'.")
    var cacert: String?

    @Flag(name: .long, help: "Replace ids of an Amplify project that only its client files have.")
    var force = false

    @OptionGroup var project: ProjectOptions

    func run() async throws {
        try OutputPath.check(out, of: "--out")
        var request = ClientFileRequest(.amplifyConfiguration)
        request.environment = project.schema.amplify.environment
        request.address = try url.map { url throws(ServerError) in
            guard let address = ClientAddress(url: url) else {
                throw ServerError(.usage, "\"\(url)\" is no URL of a server.", hint: "Write it as http://HOST:PORT.")
            }
            return address
        }
        request.host = try host.map { text throws(ServerError) in
            guard let host = ClientHost(text) else {
                throw ServerError(
                    .usage, "--host is simulator, emulator, device, HOST or HOST:PORT, and not \"\(text)\".")
            }
            return host
        }
        // All of them are read before the first is written.
        var texts: [(path: String, text: String, existing: [UInt8]?)] = []
        var address: ClientAddress?
        let (read, configuration) = try reader()
        for file in files(isOfGen2: configuration?.isOfGen2 ?? false) {
            request.file = file
            let named = path(of: file)
            guard let path = Files.pathOfClientFile(at: named) else {
                throw ServerError(
                    .refused, "\(named) is a link to a file of another name or to nothing, and nothing was written.",
                    hint: "Remove the link, or write elsewhere with --out.")
            }
            let members = try await read(request)
            address = file.address(of: members)
            let (text, existing) = try Self.text(file, members, path)
            try ClientFileIDs.checkSource(file, at: named, existing: existing, replacement: text, force: force)
            if !force, let existing { try ClientFileIDs.check(file, at: named, existing: existing, replacement: text) }
            texts.append((path, text, existing))
        }
        for (path, _, _) in texts { try AmplifyFolder.refuseWriting(file: path, of: "--out") }
        var written: [String] = []
        do throws(Files.Failure) {
            try Files.makeFolder(out)
            for (path, text, existing) in texts where existing != Array(text.utf8) {
                // The secret of an app client is the owner's; all else is as readable as it was.
                try Files.write(text, to: path, isPrivate: ClientFile.hasSecret(text), keepsPermissions: true)
                written.append(path)
            }
        } catch {
            throw ServerError(.failed, "Cannot write to \(out): \(error.reason).")
        }
        Terminal.show(written.isEmpty ? "The files are as they were." : "Written: \(written.joined(separator: ", "))")
        if request.environment == nil, let environment = configuration?.environment {
            Terminal.show("Environment: \(environment)")
        }
        if let remark = address.flatMap({ Self.remark(on: $0, request.host) }) { Terminal.complain(remark) }
        if let note = configuration.flatMap({ Self.note(on: $0, texts.map { $0.text }) }) { Terminal.complain(note) }
    }

    /// What the files have of `dev` alone; nil where they have nothing.
    private static func note(on configuration: Configuration, _ texts: [String]) -> String? {
        let added = configuration.addedByDev(in: texts)
        guard let last = added.last else { return nil }
        let list = added.count == 1 ? last : "\(added.dropLast().joined(separator: ", ")) and \(last)"
        return """
            note: 'syncline dev' adds what is not configured. In the files that is: \(list). 'syncline serve' serves none of it, \
            and files of such a server do not have it.
            """
    }

    /// What the files' address is not good for; nil where it is good for the app.
    static func remark(on address: ClientAddress, _ host: ClientHost?) -> String? {
        if address.isLoopback, host != .simulator {
            return """
                warning: The files have \(address.url), which no device and no Android emulator reaches. For those pull with \
                --host device or --host emulator; --host simulator is for apps on this machine.
                """
        }
        guard host == .device else { return nil }
        return """
            The files have \(address.url). Devices reach it if the server listens there: \
            'syncline dev --host 0.0.0.0 --api-key KEY'.
            """
    }

    private func path(of file: ClientFile) -> String {
        out.hasSuffix("/") ? out + file.rawValue : "\(out)/\(file.rawValue)"
    }

    private func files(isOfGen2: Bool) -> [ClientFile] {
        guard format.isEmpty else { return ClientFile.allCases.filter(format.contains) }
        let existing = ClientFile.allCases.filter { Files.exists(path(of: $0)) }
        guard existing.isEmpty else { return existing }
        return isOfGen2 ? [.amplifyOutputs] : [.amplifyConfiguration, .awsConfiguration]
    }

    private typealias Reader = (ClientFileRequest) async throws(ServerError) -> JSONObject

    /// What reads the members of a file, from the server or the folder, and the folder's configuration where it is read.
    private func reader() throws(ServerError) -> (read: Reader, configuration: Configuration?) {
        guard let url else {
            guard tokenFile == nil, cacert == nil else {
                throw ServerError(.usage, "--token-file and --cacert need the URL of a server.")
            }
            let configuration = try Configuration.load(project.texts)
            let client = OperatorClient(configuration)
            let read: Reader = { request async throws(ServerError) in
                do throws(ServerError) { return try await client.clientFile(request) } catch {
                    throw Self.advised(error)
                }
            }
            return (read, configuration)
        }
        var token = Environment.value(Self.tokenVariable)
        if let tokenFile {
            guard let bytes = try? Files.read(tokenFile, bytesMax: 1 << 12) else {
                throw ServerError(.usage, "The file \(tokenFile) of the token cannot be read.")
            }
            token = String(decoding: bytes, as: UTF8.self)
        }
        token = token.map { $0.filter { !$0.isWhitespace } }.flatMap { $0.isEmpty ? nil : $0 }
        let isLoopback = ClientAddress(url: url)?.isLoopback ?? false
        if token != nil, url.lowercased().hasPrefix("http://"), !isLoopback {
            Terminal.complain("warning: the token is sent in clear text: \(url) is no https URL.")
        }
        let (sent, authority) = (token, cacert)
        let read: Reader = { request async throws(ServerError) in
            try await OperatorClient.clientFile(request, token: sent, authority: authority)
        }
        return (read, nil)
    }

    /// An error with what to give where the folder has no schema: another folder's server is read by its URL.
    private static func advised(_ error: ServerError) -> ServerError {
        guard error.diagnostics.first?.kind == "SchemaFileError" else { return error }
        let advice =
            "Without a URL, 'pull' reads the server that runs on this folder, or what the folder's schema makes. "
            + "Of another server give the URL, as 'syncline dev' prints it: syncline pull http://HOST:PORT."
        var error = error
        error.diagnostics[0].hint = [advice, error.diagnostics[0].hint].compactMap(\.self).joined(separator: " ")
        return error
    }

    /// The text of a file, with what is kept of the one that is there, and that one's bytes.
    private static func text(
        _ file: ClientFile, _ members: JSONObject, _ path: String
    ) throws(ServerError) -> (text: String, existing: [UInt8]?) {
        guard Files.exists(path) else { return (file.text(members), nil) }
        func refusal(_ reason: String) -> ServerError {
            ServerError(
                .refused, "\(path) cannot be read as such a file\(reason), and nothing was written.",
                hint: "Move it away, or write elsewhere with --out.")
        }
        // A file that cannot be read may have members of its own, which writing would remove.
        let bytes: [UInt8]
        do throws(Files.Failure) { bytes = try Files.read(path, bytesMax: ClientFile.bytesMax) } catch {
            throw refusal(" (\(error.reason))")
        }
        guard let existing = String(validating: bytes, as: UTF8.self) else { throw refusal(" (it is not UTF-8)") }
        guard let text = file.text(members, keeping: existing) else { throw refusal("") }
        return (text, bytes)
    }
}

extension ClientFile: ExpressibleByArgument {}
