/// What became of a pipeline for one parent.
enum PipelineOutcome {
    case value(GatheredValue)
    case failed(ResolverError)
}
