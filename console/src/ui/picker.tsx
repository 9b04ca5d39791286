import { lazyRouteComponent } from '@tanstack/react-router'

/** A choice of one thing of a kind, or of several, searched by name. It is loaded with the first dialog, or the first of its kind. */
export const Picker = lazyRouteComponent(() => import('./combobox.js'), 'ComboboxPicker')
