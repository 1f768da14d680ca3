/** The form of the question: user and resource, in any order. When both are known, the URL changes. */
import { Button, Group, NativeSelect, Paper } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { IdPicker } from '../../components/search/id-picker.tsx'
import { Picker } from '../../components/search/picker.tsx'
import type { WhySearch } from '../../links/searches.ts'
import { type Picked, recentlyPicked, rememberPicked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { AskAgain } from './ask-again.tsx'
import classes from './question-form.module.css'
import { keyOfQuestion } from './recent-questions.ts'

interface FormProps {
  onAsk: (search: WhySearch) => void
  /** Beside the button that asks. */
  children: ReactNode
}

interface QuestionFormProps {
  question: WhySearch
  /** The names of the user and the resource in question, where they are known. */
  names: { user?: string | undefined; resource?: string | undefined }
}

export function QuestionForm({ question, names }: QuestionFormProps) {
  const { id: apiKey } = useKey()
  const navigate = useNavigate()
  const [withIds, { toggle }] = useDisclosure()
  const toggleIds = (
    <Button variant="subtle" size="compact-sm" onClick={toggle}>
      {withIds ? 'Search by name' : 'Enter ids'}
    </Button>
  )
  const ask = (search: WhySearch) => void navigate({ to: '/keys/$apiKey/why', params: { apiKey }, search })
  return (
    <Paper withBorder p="md" className={classes.paper}>
      {withIds ? (
        <IdForm key={keyOfQuestion(question)} question={question} onAsk={ask}>
          {toggleIds}
        </IdForm>
      ) : (
        <NameForm question={question} names={names} onAsk={ask}>
          {toggleIds}
        </NameForm>
      )}
      <AskAgain current={question} />
    </Paper>
  )
}

const RESOURCE_KINDS = ['organization', 'folder', 'document'] as const

function NameForm({ question, names, onAsk, children }: QuestionFormProps & FormProps) {
  const { id: apiKey } = useKey()
  const [picked, setPicked] = useState<PickedFor>()
  // The selection belongs to one question: a link to another question replaces it.
  const { user, resource } =
    picked?.question === keyOfQuestion(question)
      ? picked
      : { user: userOf(question, names.user), resource: resourceOf(question, names.resource) }
  const [isTried, { open: tryIt }] = useDisclosure()
  function pick(user: Picked | undefined, resource: Picked | undefined): void {
    if (user !== undefined) rememberPicked(apiKey, 'users', user)
    if (resource !== undefined) rememberPicked(apiKey, 'resources', resource)
    const asked = user !== undefined && resource !== undefined ? questionOf(user, resource) : undefined
    setPicked({ question: keyOfQuestion(asked ?? question), user, resource })
    if (asked !== undefined) onAsk(asked)
  }
  /** The form was submitted, and no field was entered since. */
  const isAsked = useRef(false)
  const changeAgain = () => {
    isAsked.current = false
  }
  /** Who leaves a field with an id in it may want to change the other field before asking. */
  function keep(user: Picked | undefined, resource: Picked | undefined): void {
    if (isAsked.current) pick(user, resource)
    else setPicked({ question: keyOfQuestion(question), user, resource })
  }
  return (
    <form
      noValidate
      className={`${classes.form} ${classes.byName}`}
      onSubmit={(event) => {
        event.preventDefault()
        isAsked.current = true
        tryIt()
        pick(user, resource)
      }}
    >
      <Picker
        label="User"
        placeholder="Name, e-mail address or id"
        kinds={['user']}
        typedKind="user"
        offered={recentlyPicked(apiKey, 'users')}
        value={user}
        onFocus={changeAgain}
        onChange={(picked, isLeft = false) => (isLeft ? keep : pick)(picked, resource)}
        error={isTried && user === undefined && 'Select a user.'}
      />
      <Picker
        label="Organization, folder or document"
        placeholder="Name or id"
        kinds={RESOURCE_KINDS}
        offered={recentlyPicked(apiKey, 'resources')}
        value={resource}
        onFocus={changeAgain}
        onChange={(picked, isLeft = false) => (isLeft ? keep : pick)(user, picked)}
        error={isTried && resource === undefined && 'Select an organization, folder or document.'}
      />
      <Group gap={4} wrap="nowrap" className={classes.ask}>
        <Button type="submit">Explain</Button>
        {children}
      </Group>
    </form>
  )
}

interface PickedFor {
  question: string
  user: Picked | undefined
  resource: Picked | undefined
}

function questionOf({ id: userId }: Picked, { kind, id, organizationId = id }: Picked): WhySearch {
  const type = kind === 'folder' || kind === 'document' ? kind : 'organization'
  return { organizationId, type, id, userId }
}

const userOf = ({ userId }: WhySearch, name: string | undefined): Picked | undefined =>
  userId === '' ? undefined : { kind: 'user', id: userId, ...(name !== undefined && { name }) }

function resourceOf({ organizationId, type, id }: WhySearch, name: string | undefined): Picked | undefined {
  if (id === '') return undefined
  const owner = type === 'organization' ? {} : { organizationId }
  return { kind: type, id, ...owner, ...(name !== undefined && { name }) }
}

const TYPES = [
  { value: 'document', label: 'Document' },
  { value: 'folder', label: 'Folder' },
  { value: 'organization', label: 'Organization' },
]

/** For what no search finds: users without a profile, and ids that nothing has. */
function IdForm({ question, onAsk, children }: { question: WhySearch } & FormProps) {
  const form = useForm<WhySearch>({
    initialValues: question.organizationId === '' ? { ...question, type: 'document' } : question,
    validate: {
      userId: (id) => (id.trim() === '' ? 'Enter a user id.' : null),
      organizationId: (id) => (id.trim() === '' ? 'Enter an organization id.' : null),
      id: (id, { type }) => (type !== 'organization' && id.trim() === '' ? 'Enter an id.' : null),
    },
  })
  const { type, organizationId, id } = form.values
  const submit = form.onSubmit((asked) => {
    const organizationId = asked.organizationId.trim()
    const id = asked.type === 'organization' ? organizationId : asked.id.trim()
    onAsk({ organizationId, type: asked.type, id, userId: asked.userId.trim() })
  })
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <IdPicker label="User" kinds={['user']} {...form.getInputProps('userId')} value={form.values.userId} />
      <OrganizationSelect
        label="Organization"
        {...form.getInputProps('organizationId')}
        typedKind="organization"
        value={organizationId}
      />
      <NativeSelect label="Type" data={TYPES} {...form.getInputProps('type')} />
      <IdPicker
        label="Id"
        kinds={[type]}
        organizationId={organizationId}
        disabled={type === 'organization'}
        {...form.getInputProps('id')}
        value={type === 'organization' ? organizationId : id}
      />
      <Group gap={4} wrap="nowrap" className={classes.ask}>
        <Button type="submit">Explain</Button>
        {children}
      </Group>
    </form>
  )
}
