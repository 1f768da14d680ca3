/** A field that picks one of the options, which a search finds or a list has. */
import { CloseButton, Loader, TextInput, type TextInputProps } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useRef } from 'react'
import classes from './option-list.module.css'
import { InputWithOptions } from './option-list.tsx'
import { type Offer, type Option, useCombobox } from './use-combobox.ts'

export interface FieldProps
  extends Pick<
    TextInputProps,
    | ('label' | 'description' | 'placeholder' | 'error' | 'required' | 'disabled' | 'aria-label' | 'onFocus')
    | ('w' | 'maw' | 'miw' | 'flex')
  > {
  'data-autofocus'?: boolean | undefined
  /** The list is over what follows: for filters above a list, where nothing else to press is below. */
  floating?: boolean | undefined
}

interface ComboboxFieldProps<One extends Option> extends FieldProps, Offer<One> {
  /** The label of what is picked; empty if nothing is. */
  picked: string
  selectedKey?: string | undefined
  /** Undefined where the field shows what is picked. */
  typed: string | undefined
  onType: (typed: string | undefined) => void
  onPick: (option: One) => void
  /** Called when what was picked is removed; without it, nothing can be removed. */
  onClear?: (() => void) | undefined
  /** The field was left, with what is typed in it. */
  onLeave?: (() => void) | undefined
  /** Shown instead of options. */
  message: string | undefined
  /** Any typed text is kept, with or without an option. */
  keepsTyped?: boolean
}

export function ComboboxField<One extends Option>(props: ComboboxFieldProps<One>) {
  const { picked, selectedKey, typed, onType, onPick, onClear, onLeave, message, keepsTyped = false, ...others } = props
  const { options, isPending, hasFailed, floating, ...input } = others
  const combobox = useCombobox({ options, isPending, hasFailed, typed: typed ?? '', selectedKey, onPick, onLeave })
  const { inputProps, open, isOpen } = combobox
  const field = useRef<HTMLInputElement>(null)
  const label = typeof input.label === 'string' ? input.label : (input['aria-label'] ?? 'Options')
  return (
    <TextInput
      {...input}
      {...inputProps}
      ref={field}
      value={typed ?? picked}
      onChange={({ currentTarget }) => {
        onType(currentTarget.value)
        open()
      }}
      onClick={open}
      onFocus={(event) => {
        if (!keepsTyped) event.currentTarget.select()
        input.onFocus?.(event)
      }}
      rightSection={
        isPending && isOpen ? (
          <Loader size="xs" aria-hidden />
        ) : onClear !== undefined && picked !== '' ? (
          <CloseButton
            size="sm"
            aria-label={`Clear ${label}`}
            onClick={() => {
              onType(undefined)
              onClear()
              // The button is gone with what it cleared.
              field.current?.focus()
            }}
          />
        ) : keepsTyped ? null : (
          <IconChevronDown size={16} aria-hidden className={classes.chevron} />
        )
      }
      inputContainer={(container) => (
        <InputWithOptions
          {...{ label, combobox, options, isPending, message }}
          field={container}
          floating={floating ?? false}
        />
      )}
    />
  )
}
