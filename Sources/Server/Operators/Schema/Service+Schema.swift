import API
import HTTP
import JSON
import Synchronization
import Tables
import Transformer

extension Service {
    /// Lets owners deploy schemas, from now on.
    func startDeployments() {
        state.schemaService.withLock { $0 }?.serving.withLock { serving in
            serving = SchemaServing(
                migrate: { [weak self] schema, request throws(ServerError) in
                    guard let self else { throw OperatorProblem.notReady.serverError }
                    return try prepare(schema, request)
                },
                serve: { [weak self] prepared in self?.serve(prepared) },
                pullCommand: { [weak state] in
                    guard let source = state?.clientFiles.withLock({ $0 }), let request = try? ConnectRequest([]) else {
                        return nil
                    }
                    return try? source.steps(request)["pull"]?.stringValue
                })
        }
    }

    /// Whether a deployment is under way: it changes the schema's files before it serves them.
    public var isDeploying: Bool { state.schemaService.withLock { $0 }?.isDeploying ?? false }

    /// The files that deployments, and the first start in an empty folder, have written since the last call.
    public func takeDeployedFiles() -> Watcher.View { state.schemaService.withLock { $0 }?.takeWrittenFiles() ?? [:] }

    private func prepare(_ schema: ServedSchema, _ request: MigrationRequest) throws(ServerError) -> PreparedAPI {
        let (definition, configuration) = (schema.definition, schema.configuration)
        try checkSignIn(definition, configuration)
        try backend.refuseSwitching(definition)
        let (api, _) = try backend.makeAPI(for: definition, configuration, by: request)
        let servedAPI = ServedAPI(
            api, definition, configuration, state.userPools.withLock { $0 }, tokens: state.tokens.withLock { $0 })
        return PreparedAPI(servedAPI: servedAPI, schema: schema)
    }

    private func serve(_ prepared: PreparedAPI) {
        serve(prepared.servedAPI, prepared.schema)
        setClientFiles(prepared.schema.configuration, prepared.schema.definition)
    }

    /// Serves an API from the next request of each loop on.
    func serve(_ servedAPI: ServedAPI, _ schema: ServedSchema) {
        for loop in server.loops {
            let services = loopServices[loop.index]
            loop.execute { services.serve(servedAPI) }
        }
        state.servedSchema.withLock { $0 = schema }
        state.live.setModels(servedAPI.modelNames)
        state.live.publish(.schema, ["changed": true])
    }
}
