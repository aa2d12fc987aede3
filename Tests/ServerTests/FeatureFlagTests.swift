import Amplify
import GraphQL
import Testing
import Transformer

@testable import Codegen
@testable import Server

@Suite("Feature flags and transform parameters")
struct FeatureFlagTests {
    private func load(_ file: String, environment: [String: String] = [:]) throws -> Configuration {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(file, to: "syncline.json")
        return try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: environment))
    }

    private func refusal(_ file: String) throws -> ServerError {
        try #require(#expect(throws: ServerError.self) { try load(file) })
    }

    /// Every flag that the Amplify CLI has known, by group, with what `amplify init` writes.
    static let all = """
        {"features": {
          "graphqltransformer": {
            "addmissingownerfields": true, "improvepluralization": false, "validatetypenamereservedwords": true,
            "useexperimentalpipelinedtransformer": true, "enableiterativegsiupdates": true, "secondarykeyasgsi": true,
            "skipoverridemutationinputtypes": true, "transformerversion": 2, "suppressschemamigrationprompt": true,
            "securityenhancementnotification": false, "showfieldauthnotification": false,
            "usesubusernamefordefaultidentityclaim": true, "usefieldnameforprimarykeyconnectionfield": false,
            "enableautoindexquerynames": true, "respectprimarykeyattributesonconnectionfield": true,
            "shoulddeepmergedirectiveconfigdefaults": false, "populateownerfieldforstaticgroupauth": true,
            "subscriptionsinheritprimaryauth": false, "enablegen2migration": false
          },
          "frontend-ios": {"enablexcodeintegration": true},
          "auth": {
            "enablecaseinsensitivity": true, "useinclusiveterminology": true, "breakcirculardependency": true,
            "forcealiasattributes": false, "useenabledmfas": true
          },
          "codegen": {
            "useappsyncmodelgenplugin": true, "usedocsgeneratorplugin": true, "usetypesgeneratorplugin": true,
            "cleangeneratedmodelsdirectory": true, "retaincasestyle": true, "addtimestampfields": true,
            "handlelistnullabilitytransparently": true, "emitauthprovider": true, "generateindexrules": true,
            "enabledartnullsafety": true, "generatemodelsforlazyloadandcustomselectionset": false
          },
          "appsync": {"generategraphqlpermissions": true},
          "latestregionsupport": {
            "pinpoint": 1, "translate": 1, "transcribe": 1, "rekognition": 1, "textract": 1, "comprehend": 1
          },
          "project": {"overrides": true}
        }, "debug": {"shareProjectConfig": false}}
        """

    @Test("every flag of the Amplify CLI is known in its group")
    func everyFlag() throws {
        let configuration = try load("{\"featureFlags\": \(Self.all)}")
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.transform.transformerVersion == .v2)
        #expect(!configuration.transform.shouldDeepMergeDirectiveConfigDefaults)
    }

    @Test(
        "a flag that stands alone is known too, in any case, also as it is misspelt by some projects",
        arguments: [
            "useAppSyncModelgenPlugin", "usedocsgeneratorplugin", "addTimestampFields", "enableXcodeIntegration",
            "generateModelsForLazyLoadAndCustomSelectionSet", "generateGraphQLPermissions", "showFieldAuthNotification",
            "validateTypeNamesReservedWords", "VALIDATETYPENAMERESERVEDWORDS", "useSubUsernameForDefaultIdentityClaim",
        ])
    func bareFlag(_ name: String) throws {
        let configuration = try load("{\"featureFlags\": {\"\(name)\": false}}")
        #expect(configuration.warnings.isEmpty)
        let isValidation = name.lowercased().hasPrefix("validate")
        let isOfRules = name.hasPrefix("useSubUsername")
        let isOfCodegen = configuration.codegen.values == [name.lowercased(): false]
        #expect(
            configuration.notes.isEmpty == (isValidation || isOfRules || isOfCodegen), "\(configuration.notes)")
        #expect(configuration.transform.validateTypeNameReservedWords == !isValidation)
        #expect(configuration.transform.useSubUsernameForDefaultIdentityClaim == !isOfRules)
    }

    @Test("the flags that a project gives as settings are those that the transformer and the generator act upon")
    func settings() {
        let supported = FeatureFlags.supported.map(\.name).filter { $0 != FlagTable.misspelled.name }
        #expect(supported.sorted() == FlagTable.settings(of: FlagTable.transformer).sorted())
        #expect(CodegenOptions.flags.map(\.name).sorted() == FlagTable.codegenSettings.sorted())
        let others = FlagTable.groups.filter { ![FlagTable.transformer, FlagTable.codegen].contains($0.name) }
        #expect(others.allSatisfy { FlagTable.settings(of: $0.name).isEmpty })
    }

    @Test("flags of client code have an effect, and only the others of their group are noted to have none")
    func codegenFlags() throws {
        let flags = #"{"emitauthprovider": true, "addTimestampFields": false, "retainCaseStyle": true}"#
        let configuration = try load("{\"featureFlags\": {\"codegen\": \(flags)}}")
        #expect(configuration.notes == ["featureFlags.codegen.retainCaseStyle is accepted and has no effect."])
        #expect(configuration.codegen.values == ["emitauthprovider": true, "addtimestampfields": false])
        let others = try load(#"{"featureFlags": {"codegen": {"retainCaseStyle": true}, "emitAuthProvider": true}}"#)
        #expect(others.notes == ["featureFlags.codegen is accepted and has no effect."])
    }

    @Test("an unknown flag is a warning with its place and a suggestion")
    func unknownFlag() throws {
        let rows = [
            (#"{"improvePluralisation": true}"#, ":1:19: ", #"Did you mean "improvePluralization"?"#),
            (
                #"{"features": {"codegen": {"addTimestampField": 3}}}"#, ":1:44: ",
                #"Did you mean "addTimestampFields"?"#
            ),
            (#"{"features": {"graphqltransformer": {"zzz": {}}}}"#, ":1:55: ", nil),
            (#"{"features": {"newgroup": {"a": true}}}"#, ":1:32: ", nil),
        ]
        for (flags, place, hint) in rows {
            let configuration = try load("{\"featureFlags\": \(flags)}")
            #expect(configuration.warnings.count == 1 && configuration.warnings[0].hint == hint, "\(flags)")
            let text = configuration.warnings.first?.render() ?? ""
            #expect(text.contains("syncline.json\(place)warning: Unknown feature flag '"), "\(text)")
        }
    }

    @Test("the value of a flag is true or false, also of one without effect; that of a region is a number")
    func values() throws {
        for flags in [
            #"{"improvePluralization": "true"}"#, #"{"features": {"codegen": {"emitAuthProvider": "true"}}}"#,
            #"{"features": {"latestregionsupport": {"pinpoint": true}}}"#, #"{"enableGen2Migration": 1}"#,
        ] {
            #expect(try refusal("{\"featureFlags\": \(flags)}").diagnostics.count == 1, "\(flags)")
        }
    }

    @Test("the pipelined transformer decides the version, unless the configuration names it itself")
    func version() throws {
        let rows: [(String, TransformOptions.TransformerVersion)] = [
            (#""featureFlags": {"useExperimentalPipelinedTransformer": true}"#, .v2),
            (#""featureFlags": {"useExperimentalPipelinedTransformer": true, "transformerVersion": 1}"#, .v2),
            (#""featureFlags": {"useExperimentalPipelinedTransformer": false, "transformerVersion": 2}"#, .v1),
            (#""featureFlags": {"transformerVersion": 2}"#, .v2), (#""featureFlags": {}"#, .automatic),
            (#""transformerVersion": 1, "featureFlags": {"useExperimentalPipelinedTransformer": true}"#, .v1),
            (#""transformerVersion": "auto", "featureFlags": {"transformerVersion": 2}"#, .automatic),
        ]
        for (file, version) in rows {
            #expect(try load("{\(file)}").transform.transformerVersion == version, "\(file)")
        }
    }

    @Test("the parameters of newer projects are served, and go before the flags")
    func parameters() throws {
        let configuration = try load(
            """
            {"featureFlags": {"respectPrimaryKeyAttributesOnConnectionField": true, "enableAutoIndexQueryNames": false},
             "transformParameters": {
               "respectPrimaryKeyAttributesOnConnectionField": false, "secondaryKeyAsGSI": false,
               "shouldDeepMergeDirectiveConfigDefaults": false, "sandboxModeEnabled": true,
               "useSubUsernameForDefaultIdentityClaim": false, "populateOwnerFieldForStaticGroupAuth": false,
               "subscriptionsInheritPrimaryAuth": true, "suppressApiKeyGeneration": false, "enableIamAccess": false,
               "disableResolverDeduping": true, "enableSearchNodeToNodeEncryption": false,
               "enableTransformerCfnOutputs": true, "allowDestructiveGraphqlSchemaUpdates": true,
               "replaceTableUponGsiUpdate": false
             }}
            """)
        #expect(
            configuration.transform
                == TransformOptions(
                    secondaryKeyAsGSI: false, enableAutoIndexQueryNames: false,
                    respectPrimaryKeyAttributesOnConnectionField: false, shouldDeepMergeDirectiveConfigDefaults: false,
                    sandboxModeEnabled: true, useSubUsernameForDefaultIdentityClaim: false,
                    populateOwnerFieldForStaticGroupAuth: false, subscriptionsInheritPrimaryAuth: true))
        #expect(configuration.notes.count == 5, "\(configuration.notes)")
        #expect(!configuration.notes.contains { $0.contains("populateOwnerField") }, "\(configuration.notes)")
        #expect(configuration.warnings.isEmpty)
    }

    @Test("a parameter changes the schema that is generated")
    func joinModel() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            """
            type Student @model { number: ID! @primaryKey courses: [Course] @manyToMany(relationName: "Attendance") }
            type Course @model { id: ID! students: [Student] @manyToMany(relationName: "Attendance") }
            """, to: "schema.graphql")
        func fields(_ parameters: String) throws -> [String] {
            let schema = folder.path("schema.graphql")
            let definition = try load("{\"schema\": \"\(schema)\", \"transformParameters\": \(parameters)}")
                .loadDefinition()
            let join = try #require(definition.schema.type(named: "Attendance"))
            return definition.schema[join].fields?.fields.map(\.name) ?? []
        }
        #expect(try fields("{}").contains("studentNumber"))
        let old = try fields(#"{"respectPrimaryKeyAttributesOnConnectionField": false}"#)
        #expect(old.contains("studentID") && old.contains("courseID") && !old.contains("studentNumber"), "\(old)")
    }

    @Test("a parameter that guards data and is not served stops the load; an unknown one does too")
    func refusedParameters() throws {
        let rows = [
            (#"{"sandboxModeEnable": true}"#, "Unknown key"),
            (#"{"suppressApiKeyGeneration": true}"#, "no API key is made, and none is configured"),
            (#"{"sandboxModeEnabled": "no"}"#, "is true or false"),
        ]
        for (parameters, message) in rows {
            let error = try refusal("{\"transformParameters\": \(parameters)}")
            #expect(error.code == .invalid && error.diagnostics.count == 1, "\(parameters)")
            #expect(error.text.contains(message) && error.text.contains("syncline.json:1:26: error:"), "\(error.text)")
            #expect(error.diagnostics[0].hint != nil || parameters.contains("no"), "\(error.text)")
        }
        let suppressed = #"{"transformParameters": {"suppressApiKeyGeneration": true}}"#
        #expect(try load(suppressed, environment: ["SYNCLINE_API_KEY": "da2-own"]).apiKeys.accepted == ["da2-own"])
    }
}
