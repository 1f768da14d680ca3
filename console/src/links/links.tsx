/** Links of the component library with type-checked routes: `to` and `params` must match a route. */
import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core'
import type { Icon as IconType } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

type OfAnchor = Omit<ComponentProps<'a'>, 'style' | 'color'>

export const AnchorLink = createLink((props: OfAnchor & Omit<AnchorProps, 'children'> & { children?: ReactNode }) => (
  <Anchor {...props} />
))

export const ButtonLink = createLink((props: OfAnchor & ButtonProps) => <Button component="a" {...props} />)

export const NavigationLink = createLink((props: Omit<OfAnchor, 'label'> & NavLinkProps) => (
  <NavLink component="a" {...props} />
))

/** An item of a menu that leads to a view. */
export const MenuLink = createLink(({ Icon, ...props }: OfAnchor & MenuItemProps & { Icon: IconType }) => (
  <Menu.Item component="a" leftSection={<Icon size={16} aria-hidden />} {...props} />
))
