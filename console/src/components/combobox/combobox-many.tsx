/** A field that picks several of the options, each shown as a pill. */
import { Loader, Pill, PillsInput } from '@mantine/core'
import { useId } from 'react'
import type { FieldProps } from './combobox-field.tsx'
import { InputWithOptions } from './option-list.tsx'
import { type Offer, type Option, useCombobox } from './use-combobox.ts'

interface ComboboxManyProps<One extends Option> extends Omit<FieldProps, 'onFocus'>, Offer<One> {
  picked: readonly { key: string; label: string }[]
  typed: string
  onType: (typed: string) => void
  onPick: (option: One) => void
  onRemove: (key: string) => void
  message: string | undefined
}

export function ComboboxMany<One extends Option>(props: ComboboxManyProps<One>) {
  const { picked, typed, onType, onPick, onRemove, message, options: all, isPending, hasFailed, ...others } = props
  const { floating, placeholder, disabled, required, 'data-autofocus': autofocus, ...input } = others
  const id = useId()
  const options = all.filter(({ key }) => picked.every((one) => one.key !== key))
  const combobox = useCombobox({ options, isPending, hasFailed, typed, onPick })
  const { inputProps, open, isOpen } = combobox
  const label = typeof input.label === 'string' ? input.label : 'Options'
  return (
    <PillsInput
      {...input}
      id={id}
      disabled={disabled}
      required={required}
      rightSection={isPending && isOpen ? <Loader size="xs" aria-hidden /> : null}
      inputContainer={(field) => (
        <InputWithOptions {...{ field, label, combobox, options, isPending, message }} floating={floating ?? false} />
      )}
    >
      <Pill.Group>
        {picked.map((one) => (
          <Pill
            key={one.key}
            withRemoveButton
            onRemove={() => onRemove(one.key)}
            removeButtonProps={{ 'aria-label': `Remove ${one.key}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            <bdi title={one.key}>{one.label}</bdi>
          </Pill>
        ))}
        <PillsInput.Field
          {...inputProps}
          // Nor does Escape close the dialog once something is picked, which would be lost.
          data-mantine-stop-propagation={isOpen || picked.length > 0 || undefined}
          id={id}
          placeholder={picked.length === 0 ? placeholder : undefined}
          disabled={disabled}
          data-autofocus={autofocus}
          value={typed}
          onChange={({ currentTarget }) => {
            onType(currentTarget.value)
            open()
          }}
          onClick={open}
          onKeyDown={(event) => {
            const last = picked.at(-1)
            if (event.key === 'Backspace' && typed === '' && last !== undefined) onRemove(last.key)
            inputProps.onKeyDown(event)
          }}
        />
      </Pill.Group>
    </PillsInput>
  )
}
