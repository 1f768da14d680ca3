/** The rules that give roles to operators who sign in with the provider, in order. */
import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import type { SsoRoleRule } from '#sdk/generated/operations.ts'

const KINDS = [
  { value: 'group', label: 'Group' },
  { value: 'emailDomain', label: 'E-mail domain' },
]
const ROLES = ['support', 'developer', 'admin', 'owner']

type Kind = 'group' | 'emailDomain'

const kindOf = (rule: SsoRoleRule): Kind => (rule.group === undefined ? 'emailDomain' : 'group')
const ruleOf = (kind: Kind, value: string, role: SsoRoleRule['role']): SsoRoleRule =>
  kind === 'group' ? { group: value, role } : { emailDomain: value, role }

interface RoleRulesProps {
  rules: readonly SsoRoleRule[]
  onChange: (rules: SsoRoleRule[]) => void
}

export function RoleRules({ rules, onChange }: RoleRulesProps) {
  const replace = (index: number, ...by: SsoRoleRule[]) => onChange(rules.toSpliced(index, 1, ...by))
  const moveUp = (index: number) => {
    const [rule] = rules.slice(index, index + 1)
    if (rule !== undefined) onChange(rules.toSpliced(index, 1).toSpliced(index - 1, 0, rule))
  }
  return (
    <Stack gap="xs" role="group" aria-label="Rules for roles">
      <Text size="sm" fw={500}>
        Rules for roles
      </Text>
      <Text size="xs" c="dimmed">
        At each sign-in, the first rule that matches decides the role. Without a match, only operators who were invited
        get in.
      </Text>
      {rules.map((rule, index) => {
        const [kind, name] = [kindOf(rule), `rule ${index + 1}`]
        const value = rule.group ?? rule.emailDomain ?? ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their position
          <Group key={index} gap="xs" align="end">
            <NativeSelect
              aria-label={`Kind of ${name}`}
              data={KINDS}
              value={kind}
              onChange={({ currentTarget }) => replace(index, ruleOf(currentTarget.value as Kind, value, rule.role))}
            />
            <TextInput
              aria-label={`Value of ${name}`}
              placeholder={kind === 'group' ? 'platform' : 'example.com'}
              flex={1}
              miw={140}
              value={value}
              onChange={({ currentTarget }) => replace(index, ruleOf(kind, currentTarget.value, rule.role))}
            />
            <NativeSelect
              aria-label={`Role of ${name}`}
              data={ROLES}
              value={rule.role}
              onChange={({ currentTarget }) =>
                replace(index, ruleOf(kind, value, currentTarget.value as SsoRoleRule['role']))
              }
            />
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={`Move ${name} up`}
              disabled={index === 0}
              onClick={() => moveUp(index)}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" size="lg" aria-label={`Delete ${name}`} onClick={() => replace(index)}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rules, { emailDomain: '', role: 'support' }])}
        >
          Add rule
        </Button>
      </Group>
    </Stack>
  )
}
