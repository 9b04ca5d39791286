/** The values of environment variables, in order. Ends the program with a sentence if one of them is not set. */
export function settingsFrom(...names) {
  const missing = names.filter((name) => !process.env[name])
  if (missing.length > 0) {
    console.error(`set ${missing.join(', ')} in the environment; see docs/clients.md`)
    process.exit(1)
  }
  return names.map((name) => process.env[name])
}
