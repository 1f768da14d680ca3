/** An item of a menu that not everybody may use: for the others it is disabled, and says why and whom to ask. */
import { Menu, type MenuItemProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { type About, attributesOf, type Needs, useRefusal } from '../../session/permission.ts'
import classes from './permitted-item.module.css'
import { Refused } from './refused.tsx'

type PermittedItemProps = MenuItemProps &
  Pick<About, 'apiKey'> & {
    needs: Needs
    onClick: () => void
    children: ReactNode
  }

export function PermittedItem({ needs, apiKey, onClick, ...props }: PermittedItemProps) {
  const refusal = useRefusal(needs, { apiKey })
  if (refusal === undefined) return <Menu.Item {...attributesOf(needs, { apiKey })} {...props} onClick={onClick} />
  return (
    <Refused refusal={refusal}>
      <Menu.Item
        {...attributesOf(needs, { apiKey })}
        {...props}
        aria-disabled
        closeMenuOnClick={false}
        className={classes.refused}
      />
    </Refused>
  )
}
