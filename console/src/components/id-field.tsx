/** The id that something has in the application: entered once, and then only read. */
import { TextInput, type TextInputProps } from '@mantine/core'

interface IdFieldProps
  extends Pick<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'onFocus' | 'onBlur' | 'error'> {
  /** It has it already. */
  known?: boolean
}

export function IdField({ known = false, ...input }: IdFieldProps) {
  return (
    <TextInput
      label="Id"
      description="The id that your application knows it by. It cannot be changed here later."
      required
      readOnly={known}
      data-autofocus={!known || undefined}
      spellCheck={false}
      autoComplete="off"
      {...input}
    />
  )
}
