/** A field for the id that the application uses: entered once, read-only afterwards. */
import { TextInput, type TextInputProps } from '@mantine/core'

interface IdFieldProps
  extends Pick<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'onFocus' | 'onBlur' | 'error'> {
  /** The id is already set. */
  known?: boolean
}

export function IdField({ known = false, ...input }: IdFieldProps) {
  return (
    <TextInput
      label="Id"
      description="The id that your application uses. It cannot be changed here later."
      required
      readOnly={known}
      data-autofocus={!known || undefined}
      spellCheck={false}
      autoComplete="off"
      {...input}
    />
  )
}
