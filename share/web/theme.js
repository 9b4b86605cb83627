// Sets the theme before anything is drawn; the rest is in theme_button.js.
;(() => {
    try {
        const theme = localStorage.getItem('iceberg-ivm-theme')
        if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
    } catch {
        // Storage is forbidden: the system's theme it is.
    }
})()
