/** The fields of folders and documents that people enter when they add one, and can change later. */
import { TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { ComponentType, ReactNode } from 'react'
import type { FolderRecord } from '#sdk/generated/operations.ts'

interface InputProps extends GetInputPropsReturnType {
  label: string
  description: ReactNode
  autoComplete: 'off'
  'data-autofocus': true | undefined
}

interface Field<Name> {
  name: Name
  label: string
  Input: ComponentType<InputProps>
}

/** The fields in the order of the form. */
const FIELDS: { folder: Field<keyof FolderRecord>[]; document: Field<'documentName'>[] } = {
  folder: [{ name: 'folderName', label: 'Name', Input: TextInput }],
  document: [{ name: 'documentName', label: 'Name', Input: TextInput }],
}

type ResourceType = keyof typeof FIELDS

/** The values by the names of the fields; null: the field is absent. */
export type Fields = Readonly<Record<string, string | null>>

export function fieldsOf(type: ResourceType, record: object): Fields {
  const values: Readonly<Record<string, string>> = { ...record }
  return Object.fromEntries(FIELDS[type].map(({ name }) => [name, values[name] ?? null]))
}

/** The values in a form, which has an empty text for an absent field. */
export type Texts = Record<string, string>

export const textsOf = (type: ResourceType, fields: Fields): Texts =>
  Object.fromEntries(FIELDS[type].map(({ name }) => [name, fields[name] ?? '']))

/** Returns the fields that were changed in the form. */
export const changesIn = (texts: Texts, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([name, text]) => text !== (fields[name] ?? ''))
      .map(([name, text]) => [name, text === '' ? null : text]),
  )

/** Returns `Rename` if the name is all that can be changed. */
export const verbOf = (type: ResourceType): string => (FIELDS[type].length === 1 ? 'Rename' : 'Edit')

interface ResourceFieldsProps {
  type: ResourceType
  /** Returns the props of the input of a field. */
  inputProps: (name: string) => GetInputPropsReturnType
  /** Stands below the first label. */
  description?: ReactNode
  autoFocus?: true
}

export const ResourceFields = ({ type, inputProps, description, autoFocus }: ResourceFieldsProps) =>
  FIELDS[type].map(({ name, label, Input }, index) => (
    <Input
      key={name}
      label={label}
      description={index === 0 && description}
      autoComplete="off"
      data-autofocus={(index === 0 && autoFocus) || undefined}
      {...inputProps(name)}
    />
  ))
