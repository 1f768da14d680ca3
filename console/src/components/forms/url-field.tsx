/** A field for the URL of another service. */
import { TextInput, type TextInputProps } from '@mantine/core'

type UrlFieldProps = Omit<TextInputProps, 'type' | 'placeholder' | 'value' | 'onChange'> & {
  value: string
  onChange: (value: string) => void
}

export function UrlField({ onChange, ...input }: UrlFieldProps) {
  return (
    <TextInput
      {...input}
      type="url"
      placeholder="https://"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
