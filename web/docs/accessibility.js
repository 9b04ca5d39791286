const nameOfParameter = (element) => element.closest('[data-param-name]').dataset.paramName
const nameOfOperation = (element) => element.closest('.opblock').querySelector('.opblock-summary-control').textContent

/** What the viewer leaves out: selector, attribute, and its value or how to find it. */
const mends = [
  // Landmarks around its main.
  ['.information-container', 'role', 'region'],
  ['.information-container', 'aria-label', 'About'],
  ['.scheme-container', 'role', 'region'],
  ['.scheme-container', 'aria-label', 'Server and authorization'],
  ['.filter-container', 'role', 'search'],
  ['.operation-filter-input', 'aria-label', 'Filter by tag or path'],
  ['.responses-table[role=region]', 'aria-label', (table) => `Responses of ${nameOfOperation(table)}`],
  // Its headings begin at h3 under an h1.
  ['h3', 'aria-level', '2'],
  ['h4', 'aria-level', '3'],
  ['h5, h6', 'aria-level', '4'],
  ['#servers', 'aria-label', 'Server'],
  ['.examples-select-element', 'aria-label', 'Example'],
  ['[data-param-name] :is(input, select, textarea)', 'aria-label', nameOfParameter],
  ['.body-param__text', 'aria-label', 'Request body'],
  ['.modal-ux', 'role', 'dialog'],
  ['.modal-ux', 'aria-modal', 'true'],
  ['.modal-ux', 'aria-label', 'Available authorizations'],
  ['.close-modal', 'aria-label', 'Close'],
  ['.auth-btn-wrapper [aria-label]', 'aria-label', (button) => button.textContent],
  // Content that can overflow its box also scrolls with the keyboard.
  ['.responses-inner .curl, .live-responses-table .microlight', 'tabindex', '0'],
]

/** Names, levels and roles for what the viewer puts into an element, now and later. */
export function mendAccessibility(viewer) {
  const mend = () => {
    for (const [selector, attribute, value] of mends) {
      for (const element of viewer.querySelectorAll(selector)) {
        const wanted = typeof value === 'function' ? value(element) : value
        if (element.getAttribute(attribute) !== wanted) element.setAttribute(attribute, wanted)
      }
    }
  }
  new MutationObserver(mend).observe(viewer, { childList: true, subtree: true })
}
