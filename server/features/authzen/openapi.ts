/** The API description of the AuthZEN calls. */
import Type from 'typebox'
import {
  Configuration,
  DescribedEvaluations,
  EVALUATION_EXAMPLE,
  EVALUATIONS_EXAMPLE,
  Evaluation,
  EvaluationAnswer,
  EvaluationsAnswer,
} from '#contract/access/authzen.ts'
import { ErrorEnvelope } from '#contract/core/envelope.ts'
import type { Description } from '#http/openapi/operations.ts'

const failure = (description: string) => ({
  description,
  contentType: 'text/plain',
  schema: Type.String({ description: 'A sentence that describes the error.' }),
})

const FAILURES = {
  400: failure('The body is not JSON, or does not conform to the standard.'),
  401: failure('The headers with credentials are missing or invalid.'),
  403: failure('The API key is disabled, or the auth token does not have the scope `read`.'),
  429: failure('Too many requests; `Retry-After` says when to try again.'),
  500: failure('An internal server error.'),
  503: failure('The database cannot be reached.'),
  504: failure('The database did not respond in time.'),
}

export const EVALUATION: Description = {
  operationId: 'authzen.evaluation',
  tags: ['authzen'],
  summary: 'AuthZEN: one decision',
  description:
    'Decides whether the subject may perform the action on the resource, with the bodies of the AuthZEN Authorization API 1.0. `context` contains the decision of `permissions.check`. Access to missing resources is denied. Unknown fields are ignored, `X-Request-ID` is returned.\n\nRequires an auth token with the scope `read`.',
  body: { schema: Evaluation, example: EVALUATION_EXAMPLE },
  response: { 200: { schema: EvaluationAnswer, description: 'The decision.' }, ...FAILURES },
}

export const EVALUATIONS: Description = {
  operationId: 'authzen.evaluations',
  tags: ['authzen'],
  summary: 'AuthZEN: many decisions',
  description:
    'Decides up to 1,000 evaluations in one call, all at the same time. `subject`, `action` and `resource` of the call are defaults for evaluations without them. An invalid evaluation is denied, with the error in its `context`, and does not fail the others. Without `evaluations`, the call is a single evaluation.\n\nRequires an auth token with the scope `read`.',
  body: { schema: DescribedEvaluations, example: EVALUATIONS_EXAMPLE },
  response: {
    200: {
      schema: Type.Union([EvaluationsAnswer, EvaluationAnswer]),
      description: 'The decisions in the order of the evaluations; without `evaluations`, the single decision.',
    },
    ...FAILURES,
  },
}

export const CONFIGURATION: Description = {
  operationId: 'authzen.configuration',
  tags: ['authzen'],
  summary: 'AuthZEN: metadata of this decision point',
  description: 'The addresses of the AuthZEN calls, under `PUBLIC_URL`.',
  response: {
    200: { schema: Configuration, description: 'The metadata of the decision point.' },
    429: { schema: ErrorEnvelope, description: 'RESOURCE_EXHAUSTED: `rate_limited`' },
  },
}
