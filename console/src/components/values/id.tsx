/** Shows an id verbatim, isolated so that its characters cannot change the direction of the text around it. */
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './id.module.css'

interface IdProps {
  children: string
  /** False where a button is not allowed, such as inside another button. */
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

/** A small button that copies a value. */
export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon variant="subtle" color="gray" size={24} aria-label={copied ? 'Copied' : label} onClick={copy}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
