public import GraphQL

/// What each directive of a schema is served as, for someone who brings the schema of an existing project.
///
/// It says what the directives are to this version, not whether they are used right: that is the transform's to say.
public struct DirectiveReport: Sendable, Hashable {
    /// How a directive is served.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// As Amplify serves it.
        case same
        /// Served, and not in every way as Amplify does.
        case different
        /// The schema is refused for it.
        case notServed
    }

    /// One directive where it stands.
    public struct Use: Sendable, Hashable {
        /// Where its `@` is.
        public var place: Diagnostic.Place?
        /// What it stands on, as an author calls it: `Post`, `Post.comments`.
        public var subject: String
        /// Its name without `@`.
        public var directive: String
        /// How it is served.
        public var status: Status
        /// What it is served as, or why not, as one sentence.
        public var sentence: String

        /// A use by its parts.
        public init(place: Diagnostic.Place?, subject: String, directive: String, status: Status, sentence: String) {
            self.place = place
            self.subject = subject
            self.directive = directive
            self.status = status
            self.sentence = sentence
        }
    }

    /// The version the schema is read as: 1 or 2.
    public var transformerVersion: TransformOptions.TransformerVersion
    /// The uses in the order of the text.
    public var uses: [Use]

    /// Reads the sources as one schema. What cannot be read of them is left out; the transform says where it is.
    public init(of sources: [Source], options: TransformOptions = TransformOptions()) {
        let document = Parser.parseTypeSystem(sources).document
        var diagnostics = DiagnosticList(sources: sources)
        let version = SchemaVersion.version(of: document, options: options, diagnostics: &diagnostics)
        let definitions = document.definitions.compactMap { definition -> String? in
            if case .directive(let directive) = definition { directive.name } else { nil }
        }
        let report = DirectiveReporter(
            version: version, options: options, ownDirectives: Set(definitions), declared: DeclaredSchema(document))
        transformerVersion = version
        uses = document.directiveUses.map { use in
            let (status, sentence) = report.verdict(on: use)
            return Use(
                place: use.node.place.flatMap(diagnostics.resolve), subject: use.subject, directive: use.node.name,
                status: status, sentence: sentence)
        }
    }

    /// How many directives are served so.
    public func count(of status: Status) -> Int { uses.count { $0.status == status } }
}

/// Judges each directive by its name, where it stands and what it says.
private struct DirectiveReporter {
    typealias Verdict = (status: DirectiveReport.Status, sentence: String)

    let version: TransformOptions.TransformerVersion
    let options: TransformOptions
    /// The directives the author defines himself.
    let ownDirectives: Set<String>
    let declared: DeclaredSchema

    func verdict(on use: DirectiveUse) -> Verdict {
        let name = use.node.name
        if SchemaVersion.versionOne.contains(name), version == .v2 {
            return (.notServed, "It belongs to version 1 of the transformer, and the schema is of version 2.")
        }
        if SchemaVersion.versionTwo.contains(name), version == .v1 {
            return (.notServed, "It belongs to version 2 of the transformer, and the schema is of version 1.")
        }
        switch name {
        case "model": return model(use)
        case "auth": return authorization(use)
        case "aws_subscribe": return subscription(use)
        case "refersTo":
            return (
                .different, "It names the table or attribute that is stored; Amplify knows it for SQL databases only."
            )
        case "aws_api_key": return (.same, "Everyone who holds the API key has access.")
        default: break
        }
        if let sentence = Self.served[name] { return (.same, sentence) }
        if let reason = Directives.reasonNotServed(name) { return (.notServed, reason) }
        if ownDirectives.contains(name) { return (.same, "It is the schema's own and has no effect.") }
        return (.notServed, "It is not known, and the schema does not define it.")
    }

    private static let served = [
        "key": "A primary key, or an index with its query.",
        "connection": "Items of another model, found by a key.",
        "primaryKey": "The primary key of the table.",
        "index": "An index with its query.",
        "hasOne": "One item of another model, found by its primary key or by its references.",
        "hasMany": "A page of another model's items, found by an index.",
        "belongsTo": "One item of another model, found by its primary key.",
        "manyToMany": "A page of a join model's items, which is generated with its two indexes.",
        "default": "Create fills the value in where none is given.",
        "mapsTo": "The table keeps its name and its data.",
        "deprecated": "Introspection shows it.",
        "specifiedBy": "Introspection shows it.",
    ]

    /// Version 2 closes what no rule opens; the API key, the only mode that is served, opens everything here.
    private func model(_ use: DirectiveUse) -> Verdict {
        let hasRules = use.owner.directive("auth") != nil || declared[use.owner.name]?.directive("auth") != nil
        if version == .v2, !hasRules, declared["AMPLIFY"] == nil, options.sandboxModeEnabled == false {
            return (.notServed, "sandboxModeEnabled: false closes a model without @auth, which is not served.")
        }
        if version == .v2, !hasRules, declared["AMPLIFY"] == nil, options.sandboxModeEnabled == nil {
            return (
                .different,
                "A table with its queries, mutations and subscriptions, open to the API key; Amplify closes a model "
                    + "without @auth unless the schema has the input AMPLIFY."
            )
        }
        return (.same, "A table with its queries, mutations and subscriptions.")
    }

    private func authorization(_ use: DirectiveUse) -> Verdict {
        let auth = AuthDirective(version: version, options: options, declared: declared)
        switch auth.verdict(on: use) {
        case .open: return (.same, "Everyone who holds the API key has access.")
        case .granted(let operations):
            let names = AuthDirective.Operation.allCases.filter(operations.contains).map(\.rawValue)
            let list = names.isEmpty ? "no operation" : names.joined(separator: ", ")
            return (.same, "Everyone who holds the API key is granted \(list).")
        case .refused(_, let message, let hint): return (.notServed, hint ?? message)
        }
    }

    private func subscription(_ use: DirectiveUse) -> Verdict {
        guard use.field != nil, use.owner.name == declared.subscriptionName else {
            return (.different, "It has no effect here: it belongs on the fields of \(declared.subscriptionName).")
        }
        return (.same, "The field follows its mutations.")
    }
}
