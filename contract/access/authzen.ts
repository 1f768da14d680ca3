/**
 * AuthZEN Authorization API 1.0: the questions of a policy enforcement point, in the bodies of that standard. The
 * standard ignores unknown fields, so closing an object here only drops the fields that are not used.
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { callerId, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { Decision } from './decisions.ts'
import { ResourceType } from './permissions.ts'

export const AUTHZEN_PATHS = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  configuration: '/.well-known/authzen-configuration',
} as const

const Ignored = Type.Optional(ClosedObject({}, { description: 'Ignored.' }))

export const AuthZenResource = ClosedObject({
  type: ResourceType,
  id: callerId("The caller's id of the resource."),
  properties: Type.Optional(
    ClosedObject({
      organizationId: Type.Optional({
        ...OrganizationId,
        description: 'Required for folders and documents. For an organization, its own id or nothing.',
      }),
    }),
  ),
})

export const AuthZenAction = ClosedObject({
  name: Type.Enum(['view', 'comment', 'edit'], {
    description:
      '`view` needs any role, `comment` the role `commenter` or `editor`, `edit` the role `editor`. Only an API key that has the role `commenter` knows `comment`.',
    commenterOnly: 'comment',
  }),
  properties: Ignored,
})

export const AuthZenSubject = ClosedObject(
  { type: Type.Enum(['user']), id: UserId, properties: Ignored },
  { description: 'The user, who needs no profile.' },
)

const parts = {
  subject: AuthZenSubject,
  action: AuthZenAction,
  resource: AuthZenResource,
  context: Ignored,
}

export const Evaluation = ClosedObject(parts)
export type Evaluation = Type.Static<typeof Evaluation>

export const EVALUATIONS_SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const
export type EvaluationsSemantic = (typeof EVALUATIONS_SEMANTICS)[number]

const options = Type.Optional(
  ClosedObject({
    evaluations_semantic: Type.Optional(
      Type.Enum([...EVALUATIONS_SEMANTICS], {
        default: 'execute_all',
        description:
          '`execute_all` evaluates all; the others stop after the first that is denied, or permitted. An evaluation with an error counts as denied.',
      }),
    ),
  }),
)

const listOf = <Item extends Type.TSchema>(item: Item) =>
  Type.Optional(
    Type.Array(item, {
      maxItems: LIMITS.itemsPerCallMax,
      description:
        'Absent or empty: the call is one evaluation. Fields beside the list are the defaults of every entry.',
    }),
  )

/** A faulty entry gets an error as its own result, so entries are not validated with the call. */
export const Evaluations = ClosedObject({ evaluations: listOf(Type.Unknown()), options })

/** The evaluations with typed entries, for the API description. */
export const DescribedEvaluations = ClosedObject({
  ...Type.Partial(Evaluation).properties,
  evaluations: listOf(Type.Partial(Evaluation)),
  options,
})

export const EvaluationError = Type.Object({ error: Type.Object({ status: Type.Integer(), message: Type.String() }) })

/** The decision of `permissions.check`. */
export const DecisionContext = Type.Object({
  ...Decision.properties,
  reason_admin: Type.Optional(
    Type.Object(
      { en: Type.String() },
      {
        description:
          'Present when the resource is public: a sentence that says that everyone has access, also without a grant.',
      },
    ),
  ),
})
export type DecisionContext = Type.Static<typeof DecisionContext>

export const EvaluationAnswer = Type.Object({
  decision: Type.Boolean(),
  context: Type.Union([DecisionContext, EvaluationError], {
    description: 'The reason; an error when the evaluation was not valid.',
  }),
})
export type EvaluationAnswer = Type.Static<typeof EvaluationAnswer>

export const EvaluationsAnswer = Type.Object({
  evaluations: Type.Array(EvaluationAnswer, {
    description: 'One result for each evaluation of the request, in its order.',
  }),
})
export type EvaluationsAnswer = Type.Static<typeof EvaluationsAnswer>

export const Configuration = Type.Object({
  policy_decision_point: Type.String(),
  access_evaluation_endpoint: Type.String(),
  access_evaluations_endpoint: Type.String(),
})
export type Configuration = Type.Static<typeof Configuration>

export const EVALUATION_EXAMPLE: Evaluation = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'edit' },
  resource: { type: 'document', id: 'roadmap', properties: { organizationId: 'acme' } },
}

export const EVALUATIONS_EXAMPLE: Type.Static<typeof DescribedEvaluations> = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'view' },
  evaluations: [
    { resource: { type: 'document', id: 'roadmap', properties: { organizationId: 'acme' } } },
    { action: { name: 'edit' }, resource: { type: 'organization', id: 'acme' } },
  ],
}
