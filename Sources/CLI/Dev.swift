import ArgumentParser
import Server
import Transformer

/// `syncline dev`
struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Serves the schema, watches schema and configuration, and reloads them.",
        discussion: "A reload is all or nothing: until a changed schema is whole, the last good API is served.")

    @OptionGroup var options: ServeOptions

    @Option(name: .long, help: "Keep the Swift models of the schema current in this folder.")
    var codegen: String?

    func run() async throws {
        let start = ContinuousClock.now
        if let codegen { try OutputPath.check(codegen, of: "--codegen") }
        let signals = Signals(reloadsOnHangUp: false)
        var texts = options.texts(for: .develop)
        let configuration = try Configuration.load(texts)
        // Before the schema is read, so that a change while the service starts is noticed.
        var watcher = Watcher(Watcher.view(of: configuration))
        texts.pinnedEnvironment = configuration.amplifyEnvironment
        let log = Log(format: configuration.log.format ?? .text, level: configuration.log.level)
        let advice = configuration.gitignoreAdvice
        let service = try await Service.start(configuration, mode: .dev, log: log)
        watcher.accept(service.takeDeployedFiles())
        Terminal.show(Banner(service, configuration, milliseconds: start.duration(to: .now).milliseconds).text)

        generateModels(configuration, log)
        let lines = configuration.amplifyLines(of: service.summary.definition) + [advice].compactMap(\.self)
        if !lines.isEmpty { Terminal.show(lines.joined(separator: "\n")) }

        if Self.watchKeys(service) { Terminal.say("  Press o to open the console.\n") }

        let (watched, seen) = (texts, watcher)
        try await CLI.run(service, until: signals) {
            await watch(configuration, watched, seen, service, log)
        }
    }

    /// Opens the console when `o` is pressed in the terminal; false where there is no terminal or no console.
    private static func watchKeys(_ service: Service) -> Bool {
        guard service.isConsoleServed else { return false }
        return TerminalKeys.watch { key in
            guard key == UInt8(ascii: "o"), let url = service.makeConsoleURL(), !WebBrowser.open(url) else { return }
            Terminal.say("  Console   \(url)")
        }
    }

    /// Writes the models of what is served. The service goes on where that fails.
    private func generateModels(_ configuration: Configuration, _ log: Log) {
        guard let codegen else { return }
        do throws(ServerError) {
            try AmplifyFolder.refuseWriting(to: codegen, of: "--codegen")
            let done = try CodegenRun().output(configuration).write(to: codegen) { log(.warning, $0) }
            log(.info, done)
        } catch {
            log(.error, "The models in \(codegen) are not current.\n\(error.text)")
        }
    }

    /// Reloads after each change that has come to rest, until cancelled.
    private func watch(
        _ first: Configuration, _ texts: SettingTexts, _ seen: Watcher, _ service: Service, _ log: Log
    ) async {
        var (current, watcher) = (first, seen)
        while (try? await Task.sleep(for: .milliseconds(Watcher.intervalMilliseconds))) != nil {
            // A deployment writes the schema and serves it itself.
            guard !service.isDeploying else { continue }
            let deployed = service.takeDeployedFiles()
            if !deployed.isEmpty {
                watcher.accept(deployed)
                generateModels(current, log)
            }
            guard watcher.hasSettledChange(Watcher.view(of: current)) else { continue }
            let start = ContinuousClock.now
            do throws(ServerError) {
                let changed = try Configuration.load(texts)
                // From now on the changed list of files is watched, whether or not it can be served. Without its project, the
                // list would not have the files that bring it back.
                if first.amplifyEnvironment == nil || changed.amplifyEnvironment != nil { current = changed }
                let summary = try service.reload(changed)
                try await service.reloadServices(changed, summary)
                let warnings = changed.warnings + summary.definition.warnings
                for warning in Diagnostic.texts(warnings, "warning") { log(.warning, warning) }
                for step in summary.steps { log(.info, "Migration: \(step)") }
                let milliseconds = start.duration(to: .now).milliseconds
                log(.info, "Reloaded in \(milliseconds) ms: \(summary.definition.counts).")
                generateModels(changed, log)
            } catch {
                log(.error, "The change is not served; the last good API goes on.\n\(error.text)")
            }
        }
    }
}
