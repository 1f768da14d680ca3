/** Parts of pages that not everybody may use: for the others they are disabled, and say why and whom to ask. */
import { Button, type ButtonProps, Menu, type MenuItemProps, Paper, Text, Tooltip } from '@mantine/core'
import type { Icon as IconType } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent, ReactElement, ReactNode } from 'react'
import { type About, attributesOf, type Needs, useRefusal } from '../../session/permission.ts'
import { EmptyState } from '../feedback/empty-state.tsx'
import { Page } from '../page/page.tsx'
import classes from './permitted.module.css'

type PermittedItemProps = Pick<MenuItemProps, 'color'> &
  Pick<About, 'apiKey'> & {
    needs: Needs
    Icon: IconType
    onClick: () => void
    children: ReactNode
  }

export function PermittedItem({ needs, apiKey, Icon, onClick, ...others }: PermittedItemProps) {
  const refusal = useRefusal(needs, { apiKey })
  const props = { leftSection: <Icon size={16} aria-hidden />, ...others }
  if (refusal === undefined) return <Menu.Item {...attributesOf(needs, { apiKey })} {...props} onClick={onClick} />
  return (
    <Refused refusal={refusal}>
      <Menu.Item
        {...attributesOf(needs, { apiKey })}
        {...props}
        aria-disabled
        closeMenuOnClick={false}
        className={classes.refused}
      />
    </Refused>
  )
}

/** The element keeps the focus, unlike with `disabled`, so that the reason can be read. */
export const refusedProps = {
  'data-disabled': true,
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
}

export function Refused({ refusal, children }: { refusal: string; children: ReactElement }) {
  return (
    <Tooltip label={refusal} multiline maw={300} events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  )
}

type AnchorProps = Omit<ComponentProps<'a'>, 'style' | 'color'> & ButtonProps & Pick<About, 'apiKey'> & { needs: Needs }

/** A link that looks like a button and leads to an action. */
export const PermittedLink = createLink(({ needs, apiKey, ...props }: AnchorProps) => {
  const refusal = useRefusal(needs, { apiKey })
  if (refusal === undefined) return <Button component="a" {...attributesOf(needs, { apiKey })} {...props} />
  const { leftSection, variant, size, children } = props
  return (
    <Refused refusal={refusal}>
      <Button {...attributesOf(needs, { apiKey })} {...{ leftSection, variant, size, children }} {...refusedProps} />
    </Refused>
  )
})

interface PermittedOnlyProps {
  needs: Needs
  /** The heading of the view, if the children are the view. */
  title?: string
  children: ReactNode
}

/** Shows its children only to people who may read the view; for the others, the server would refuse its calls. */
export function PermittedOnly({ needs, title, children }: PermittedOnlyProps) {
  const refusal = useRefusal(needs)
  if (refusal === undefined) return children
  const reason = (
    <Paper withBorder>
      <EmptyState title="You cannot see this">{refusal}</EmptyState>
    </Paper>
  )
  return title === undefined ? reason : <Page title={title}>{reason}</Page>
}

interface PermittedFieldsProps extends About {
  /** Undefined if nothing is called that a role or a scope is needed for. */
  needs: Needs | undefined
  children: ReactNode
  /** Below the fields, only where they can be changed: the buttons that save them. */
  actions?: ReactNode
}

/** Fields whose values not everybody may change: the others read them, and first why and whom to ask. */
export function PermittedFields({ needs = [], children, actions, ...about }: PermittedFieldsProps) {
  const refusal = useRefusal(needs, about)
  return (
    <>
      {refusal !== undefined && (
        <Text size="sm" c="dimmed">
          {refusal}
        </Text>
      )}
      <fieldset disabled={refusal !== undefined} className={classes.fields} {...attributesOf(needs, about)}>
        {children}
      </fieldset>
      {refusal === undefined && actions}
    </>
  )
}
