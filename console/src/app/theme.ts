/** The colors of the console: those of the system, or always the same. */
export type Theme = 'system' | 'light' | 'dark'

const THEME = 'svc-console-theme'
const order: readonly Theme[] = ['system', 'light', 'dark']

/** Shows the colors that were chosen before, and answers them. */
export function readTheme(): Theme {
  const kept = order.find((theme) => theme === localStorage.getItem(THEME)) ?? 'system'
  show(kept)
  return kept
}

/** Chooses the colors after these ones, for this browser. */
export function nextTheme(theme: Theme): Theme {
  const next = order[(order.indexOf(theme) + 1) % order.length] ?? 'system'
  localStorage.setItem(THEME, next)
  show(next)
  return next
}

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
