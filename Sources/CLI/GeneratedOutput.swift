import Codegen
import Server
import Transformer

/// Generated files, and what is generated otherwise than the schema's author may expect.
struct GeneratedOutput {
    let kind: GeneratedKind
    let files: [GeneratedFile]
    let warnings: [Diagnostic]

    /// Takes what was generated, or throws why nothing was.
    init(_ kind: GeneratedKind, _ outcome: CodegenOutcome) throws(ServerError) {
        switch outcome {
        case .success(let files, let warnings):
            (self.kind, self.files, self.warnings) = (kind, files, warnings)
            try check()
        case .failure(let diagnostics): throw ServerError(.invalid, diagnostics)
        }
    }

    /// How many files there are, with the word.
    var count: String { files.count == 1 ? "1 file" : "\(files.count) files" }

    /// Writes the files to a folder; what the schema's author should know goes to `warn`.
    ///
    /// - Parameters:
    ///   - listPath: The file that lists what was generated; nil for the one in the folder.
    ///   - replaces: Whether files of the same names that were not generated are replaced.
    /// - Returns: What was done, in one sentence.
    func write(
        to out: String, listPath: String? = nil, replaces: Bool = false, warn: (String) -> Void
    ) throws(ServerError) -> String {
        Diagnostic.texts(warnings, "warning").forEach(warn)
        var folder = try GeneratedFolder(out, kind: kind, listPath: listPath)
        let changes = try folder.write(files, replaces: replaces)
        let kept = changes.kept.map { name in
            Diagnostic(kind: "Warning", message: "\(out)/\(name) is not in the schema, but was edited, and is kept.")
        }
        Diagnostic.texts(kept, "warning").forEach(warn)
        return "\(count) in \(out): \(changes.written.count) written, \(changes.removed.count) removed."
    }

    private func check() throws(ServerError) {
        var names: [String: String] = [:]
        for file in files {
            // Two files whose names differ in case alone are one on most Macs.
            if let other = names.updateValue(file.name, forKey: file.name.lowercased()) {
                let message =
                    other == file.name
                    ? "Two files would be called \(other)."
                    : "The files \(other) and \(file.name) would be one where names of files ignore case."
                throw ServerError(.invalid, message, hint: "Rename one of the types.")
            }
            guard file.text.utf8.count <= GeneratedFolder.fileBytesMax else {
                throw ServerError(
                    .invalid, "\(file.name) would have more than \(GeneratedFolder.fileBytesMax >> 20) MiB.",
                    hint: "Generate fewer levels with --max-depth.")
            }
        }
    }
}
