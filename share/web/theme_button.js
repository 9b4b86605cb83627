// The button that goes through the themes: the system's, light, dark.

const KEY = 'iceberg-ivm-theme'
const NEXT = {system: 'light', light: 'dark', dark: 'system'}

function current() {
    return document.documentElement.dataset.theme ?? 'system'
}

function apply(theme) {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    try {
        if (theme === 'system') localStorage.removeItem(KEY)
        else localStorage.setItem(KEY, theme)
    } catch {
        // It holds until the page is closed.
    }
}

export function startThemeButton(button) {
    const show = () => {
        button.textContent = `Theme: ${current()}`
    }
    button.addEventListener('click', () => {
        apply(NEXT[current()])
        show()
    })
    show()
}
