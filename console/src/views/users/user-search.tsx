/** The search field for users. */
import { SearchField } from '../../components/tables/search-field.tsx'

export function UserSearch({ typed, onType }: { typed: string; onType: (text: string) => void }) {
  return (
    <search style={{ flex: '1 1 14rem', maxWidth: 360 }}>
      <SearchField
        label="Search by id, name or e-mail address"
        placeholder="Id, name or e-mail address"
        typed={typed}
        onType={onType}
      />
    </search>
  )
}
