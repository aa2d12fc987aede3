public import GraphQL

/// How each directive of a schema is served, for the schema of an existing Amplify project.
///
/// It reports what this version supports, not whether the directives are used correctly: the transform reports that.
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

    /// Reads the sources as one schema. What cannot be parsed is left out; the transform reports where it is.
    public init(of sources: [Source], options: TransformOptions = TransformOptions()) {
        let document = Parser.parseTypeSystem(sources).document
        var diagnostics = DiagnosticList(sources: sources)
        let version = SchemaVersion.version(of: document, options: options, diagnostics: &diagnostics)
        let definitions = document.definitions.compactMap { definition -> String? in
            if case .directive(let directive) = definition { directive.name } else { nil }
        }
        let report = DirectiveReporter(
            version: version, options: options.addingModes(of: document, version), ownDirectives: Set(definitions),
            declared: DeclaredSchema(document))
        transformerVersion = version
        let uses = document.directiveUses
        self.uses = zip(uses, diagnostics.resolve(uses.map(\.node.place))).map { use, place in
            let (status, sentence) = report.verdict(on: use)
            return Use(
                place: place, subject: use.subject, directive: use.node.name,
                status: status, sentence: sentence)
        }
    }

    /// How many directives are served so.
    public func count(of status: Status) -> Int { uses.count { $0.status == status } }
}

/// Decides how a directive is served by its name, its place and its arguments.
private struct DirectiveReporter {
    typealias Verdict = (status: DirectiveReport.Status, sentence: String)

    let version: TransformOptions.TransformerVersion
    let options: TransformOptions
    /// The directives that the schema defines.
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
        // A directive of the table counts as Amplify's also where the schema defines one of its name.
        switch Directives[name]?.support {
        case .same(let sentence): return (.same, sentence)
        case .different(let sentence): return (.different, sentence)
        case .notServed(let reason): return (.notServed, reason)
        case .conditionalRules: return authorization(use)
        case .conditional:
            switch name {
            case "model": return model(use)
            case "function": return function(use)
            default: return subscription(use)
            }
        case nil: break
        }
        if ownDirectives.contains(name) { return (.same, "It is the schema's own and has no effect.") }
        return (.notServed, "It is not known, and the schema does not define it.")
    }

    /// Version 2 closes what no rule opens.
    private func model(_ use: DirectiveUse) -> Verdict {
        let table = "A table with its queries, mutations and subscriptions"
        guard version == .v2, let type = declared.object(named: use.owner.name),
            type.directives(named: "auth").isEmpty, !type.fields.contains(where: { $0.directive(named: "auth") != nil })
        else { return (.same, "\(table).") }
        let isSandbox = options.sandboxModeEnabled ?? (declared["AMPLIFY"] != nil)
        let isOpen = isSandbox && options.authModes.contains(.apiKey)
        return (.same, isOpen ? "\(table), open to the API key." : "\(table), closed to everyone: it has no @auth.")
    }

    private func authorization(_ use: DirectiveUse) -> Verdict {
        do throws(DirectiveFault) {
            try AuthorizationRuleReader(version, options: options, declared: declared).validate(use)
            return (.same, "Every caller is held to its rules.")
        } catch {
            return (.notServed, error.hint ?? error.message)
        }
    }

    private func function(_ use: DirectiveUse) -> Verdict {
        guard use.owner.name != declared.subscriptionName else {
            return (.notServed, "Events come from mutations: @function belongs on the mutation that the field follows.")
        }
        return (.different, "The function is called at the URL that the configuration gives for it, not in AWS Lambda.")
    }

    private func subscription(_ use: DirectiveUse) -> Verdict {
        guard use.field != nil, use.owner.name == declared.subscriptionName else {
            return (.different, "It has no effect here: it belongs on the fields of \(declared.subscriptionName).")
        }
        return (.same, "The field follows its mutations.")
    }
}
