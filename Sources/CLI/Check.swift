import ArgumentParser
import Server

/// `syncline check`
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks schema and configuration without starting a server, and reports all errors at once.",
        discussion:
            "By the rules of 'syncline serve'; errors that 'syncline dev' only warns of are marked. Ends with 8 when the schema is valid and its migration loses data, or stored items do not fit it."
    )

    @OptionGroup var project: ProjectOptions

    @OptionGroup var form: ReportOptions

    func run() throws {
        let report = CheckReport(
            SettingTexts(for: .serve, flags: project.flags, environment: environmentOfProcess))
        if form.isJSON {
            Terminal.say(report.json)
        } else {
            report.code == nil ? Terminal.show(report.text) : Terminal.complain(report.text)
        }
        if let code = report.code { throw ExitCode(code.rawValue) }
        if report.findsLoss { throw ExitCode(ServerError.Code.differences.rawValue) }
    }
}
