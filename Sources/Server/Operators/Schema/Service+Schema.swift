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

    /// Serves what a deployment has prepared, which publishes its own message when it has ended.
    private func serve(_ prepared: PreparedAPI) {
        switchLoops(to: prepared.servedAPI, prepared.schema)
        setClientFiles(prepared.schema.configuration, prepared.schema.definition)
    }

    /// The change of the schema's files that a reload is about to serve; nil if there is none.
    func fileChange(to schema: ServedSchema) -> SchemaFileChange? {
        guard let served = state.servedSchema.withLock({ $0 }), let service = state.schemaService.withLock({ $0 })
        else {
            return nil
        }
        return SchemaFileChange(to: schema, from: served, mode: state.mode, dataFolder: service.dataFolder)
    }

    /// Serves an API from the next request of each loop on, and publishes that.
    ///
    /// - Parameter change: The change of the schema's files that was made on disk, if there is one.
    func serve(_ servedAPI: ServedAPI, _ schema: ServedSchema, after change: SchemaFileChange? = nil) {
        switchLoops(to: servedAPI, schema, after: change)
        state.live.publish(.schema, ["changed": true])
    }

    private func switchLoops(to servedAPI: ServedAPI, _ schema: ServedSchema, after change: SchemaFileChange? = nil) {
        for loop in server.loops {
            let services = loopServices[loop.index]
            loop.execute { services.serve(servedAPI) }
        }
        state.noteServed(schema, after: change)
        state.live.setModels(servedAPI.modelNames)
    }
}

extension ServiceState {
    /// Notes what is served from now on, and records the change of its files if that was made on disk.
    func noteServed(_ schema: ServedSchema, after change: SchemaFileChange?) {
        servedSchema.withLock { $0 = schema }
        schemaService.withLock { $0 }?.noteServed(schema, after: change)
    }
}
