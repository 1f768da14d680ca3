/** A search field for a full id: the API cannot search by a part of it. */
import { type FormEvent, useState } from 'react'
import { SearchField } from '../../components/search-field.tsx'

export function FindById({ label, onFind }: { label: string; onFind: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  function submit(event: FormEvent): void {
    event.preventDefault()
    onFind(typed.trim())
  }
  function type(text: string): void {
    setTyped(text)
    if (text === '') onFind('')
  }
  return (
    <search>
      <form onSubmit={submit}>
        <SearchField label={label} placeholder={label} typed={typed} onType={type} />
      </form>
    </search>
  )
}
