/** Gives the focus to the heading of the panel or screen when what had it leaves the page, as the row of what is removed. */
export function restoreLostFocus(): void {
  let focused: Element | null = null
  let panel: Element | null = null
  document.addEventListener('focusin', () => {
    focused = document.activeElement
    if (!focused?.closest('[role=dialog]')) panel = focused?.closest('section:has(h2[tabindex])') ?? null
  })
  const keep = () => {
    if (document.activeElement !== document.body || focused?.isConnected !== false) return
    const near = panel?.isConnected ? panel.querySelector<HTMLElement>('h2[tabindex]') : null
    const heading = near ?? document.querySelector('h1')
    heading?.focus({ preventScroll: true })
  }
  // A dialog that closes gives the focus back before.
  new MutationObserver(() => setTimeout(keep)).observe(document.body, { childList: true, subtree: true })
}
