/** The options of a combobox, or the text in their place; screen readers get the number of options. */
import { Stack, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { plural } from '../../plural.ts'
import classes from './option-list.module.css'
import type { Option } from './use-combobox.ts'

interface OptionListProps<One extends Option> {
  label: string
  combobox: {
    isOpen: boolean
    active: One | undefined
    pick: (option: One) => void
    listId: string
    idOf: (option: One) => string
  }
  options: readonly One[]
  isPending: boolean
  /** Shown instead of options; undefined: nothing is. */
  message: string | undefined
  /** Over what follows; else it moves that down, and covers nothing. */
  floating?: boolean
  className?: string | undefined
  /** The caller shows the remarks about the options beside them. */
  isSilent?: boolean
}

export function OptionList<One extends Option>(props: OptionListProps<One>) {
  const { label, combobox, options, isPending, message, floating = false, className, isSilent = false } = props
  const shape = `${floating ? classes.floating : classes.inline} ${className ?? ''}`
  const groups = [...new Set(options.map(({ group }) => group))]
  const listed = (group: string | undefined) =>
    options
      .filter((option) => option.group === group)
      .map((option) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keyboard
        <div
          key={option.key}
          id={combobox.idOf(option)}
          role="option"
          aria-selected={option === combobox.active}
          className={classes.option}
          onClick={() => combobox.pick(option)}
        >
          {option.content}
        </div>
      ))
  return (
    <>
      {combobox.isOpen && options.length > 0 && (
        // It scrolls itself: then it needs no focus of its own.
        <div
          id={combobox.listId}
          role="listbox"
          aria-label={label}
          className={shape}
          // Keeps the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
        >
          {groups.map((group, nth) =>
            group === undefined ? (
              listed(group)
            ) : (
              <Stack gap={0} key={group} role="group" aria-labelledby={`${combobox.listId}-${nth}`}>
                <div id={`${combobox.listId}-${nth}`} role="presentation" className={classes.group}>
                  {group}
                </div>
                {listed(group)}
              </Stack>
            ),
          )}
        </div>
      )}
      {combobox.isOpen && options.length === 0 && message !== undefined && (
        <div className={`${shape} ${classes.message}`}>{message}</div>
      )}
      {!isSilent && <Announcement {...{ isOpen: combobox.isOpen, options, isPending, message }} />}
    </>
  )
}

interface AnnouncementProps extends Pick<OptionListProps<Option>, 'options' | 'isPending' | 'message'> {
  isOpen: boolean
}

const Announcement = ({ isOpen, options, isPending, message }: AnnouncementProps) => (
  <VisuallyHidden role="status">
    {!isOpen
      ? ''
      : isPending
        ? 'Searching'
        : options.length > 0
          ? plural(options.length, 'option')
          : message === undefined
            ? ''
            : 'No options'}
  </VisuallyHidden>
)

/** An input with its options below. While they are searched, the list says so. */
export function InputWithOptions<One extends Option>({
  field,
  message,
  ...list
}: OptionListProps<One> & { field: ReactNode }) {
  return (
    <div className={classes.field}>
      {field}
      <OptionList {...list} message={list.isPending ? 'Searching…' : message} />
    </div>
  )
}
