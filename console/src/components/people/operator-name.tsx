/** An operator in a sentence: the name and, unless that is the same, the e-mail address. */
interface OperatorNameProps {
  name: string
  email: string
}

export function OperatorName({ name, email }: OperatorNameProps) {
  return (
    <>
      <bdi>{name}</bdi>
      {name !== email && (
        <>
          {' '}
          (<bdi>{email}</bdi>)
        </>
      )}
    </>
  )
}
