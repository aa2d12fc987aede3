/// One step of a pipeline resolver. The steps of a field run one after the other; the result of the last one is the
/// field's value.
public enum PipelineStep: Sendable, Hashable {
    /// Invokes a function of the project.
    case function(FunctionInvocation)
}
