/** An id as it is: whatever characters it has, none of them changes the order of what is around it. */
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './id.module.css'

interface IdProps {
  children: string
  /** False where a button has no place, such as inside another one. */
  copy?: boolean
}

export function Id({ children, copy = true }: IdProps) {
  return (
    <span className={classes.id}>
      <bdi className={classes.text} title={children}>
        {children}
      </bdi>
      {copy && <Copy value={children} label={`Copy ${children}`} />}
    </span>
  )
}

/** A small button that copies. */
export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={copied ? 'Copied' : label} onClick={copy}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
