/** The calls of `authzen.ts` as the API description shows them. */
import Type, { type TSchema } from 'typebox'
import {
  Configuration,
  DescribedEvaluations,
  EVALUATION_EXAMPLE,
  EVALUATIONS_EXAMPLE,
  Evaluation,
  EvaluationAnswer,
  EvaluationsAnswer,
} from '#contract/authzen.ts'
import { published } from '#http/openapi.ts'

const failure = (description: string) => ({
  description,
  content: { 'text/plain': { schema: Type.String({ description: 'A sentence that says what was wrong.' }) } },
})

const FAILURES = {
  400: failure('The body is not JSON, or not what the standard asks for.'),
  401: failure('The headers with credentials are missing or not valid.'),
  403: failure('The API key is disabled, or the auth token does not have the scope `read`.'),
  429: failure('Too many requests; `Retry-After` says when to try again.'),
  500: failure('A fault of the server.'),
  503: failure('The database cannot be reached.'),
  504: failure('The database did not answer in time.'),
}

const described = (body: TSchema, example: object, answer: TSchema, description: string) => ({
  body: published({ ...body, examples: [example] }),
  response: { 200: published({ ...answer, description }), ...FAILURES },
})

export const EVALUATION = {
  operationId: 'authzen.evaluation',
  summary: 'AuthZEN: one decision',
  description:
    'May the subject do the action with the resource? In the bodies of the AuthZEN Authorization API 1.0; the decision is that of `permissions.check`, which stands in `context`. What does not exist is denied. Unknown fields are ignored, `X-Request-ID` is repeated.\n\nNeeds an auth token with the scope `read`.',
  ...described(Evaluation, EVALUATION_EXAMPLE, EvaluationAnswer, 'The decision.'),
}

export const EVALUATIONS = {
  operationId: 'authzen.evaluations',
  summary: 'AuthZEN: many decisions',
  description:
    'Up to 1,000 evaluations in one call, of one moment. `subject`, `action` and `resource` beside the list stand for those that an evaluation leaves out. An evaluation that is not valid is denied, with the error in its `context`, and does not fail the others. Without evaluations the call is one evaluation.\n\nNeeds an auth token with the scope `read`.',
  ...described(
    DescribedEvaluations,
    EVALUATIONS_EXAMPLE,
    Type.Union([EvaluationsAnswer, EvaluationAnswer]),
    'The decisions, in the order asked; of a call without evaluations, the one decision.',
  ),
}

export const CONFIGURATION = {
  tags: ['authzen'],
  operationId: 'authzen.configuration',
  summary: 'AuthZEN: where this decision point is',
  description: 'The addresses of the AuthZEN calls, under `PUBLIC_URL`.',
  response: { 200: published({ ...Configuration, description: 'The metadata of the decision point.' }) },
}
