/** Fields whose values not everybody may change: the others read them, and below them why and whom to ask. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { attributesOf, type Needs, useRefusal } from '../../session/permission.ts'
import classes from './permitted-fields.module.css'

interface PermittedFieldsProps {
  needs: Needs
  children: ReactNode
  /** Below the fields, only where they can be changed: the buttons that save them. */
  actions?: ReactNode
}

export function PermittedFields({ needs, children, actions }: PermittedFieldsProps) {
  const refusal = useRefusal(needs)
  return (
    <>
      <fieldset disabled={refusal !== undefined} className={classes.fields} {...attributesOf(needs)}>
        {children}
      </fieldset>
      {refusal === undefined ? (
        actions
      ) : (
        <Text size="sm" c="dimmed">
          {refusal}
        </Text>
      )}
    </>
  )
}
