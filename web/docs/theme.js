/** Keeps the page as dark or light as the reader's system, until the reader chooses. */
export function followTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const button = document.getElementById('theme')
  const setTheme = (isDark) => {
    document.documentElement.classList.toggle('dark-mode', isDark)
    button.textContent = isDark ? 'Light' : 'Dark'
    button.setAttribute('aria-label', isDark ? 'Switch to light mode' : 'Switch to dark mode')
  }
  const follow = (event) => setTheme(event.matches)
  setTheme(dark.matches)
  dark.addEventListener('change', follow)
  button.addEventListener('click', () => {
    dark.removeEventListener('change', follow)
    setTheme(!document.documentElement.classList.contains('dark-mode'))
  })
}
