// Short news at the lower edge, read out by screen readers. Good news goes by itself, unless the
// pointer or the focus is on it; bad news stays until it is dismissed.

import {el} from './dom.js'

const SHOWN_MS = 6000
const AT_MOST = 4

export class Toasts {
    // Both are live regions that are on the page from the start.
    constructor(news, alarms) {
        this.places = {good: news, bad: alarms}
    }

    show(kind, title, text) {
        const toast = el(
            'div',
            {class: `toast ${kind}`},
            el('div', {}, el('strong', {}, title), ' ', el('span', {}, text)),
            el(
                'button',
                {
                    type: 'button',
                    class: 'small',
                    'aria-label': 'Dismiss',
                    onclick: () => toast.remove()
                },
                '×'
            )
        )
        const place = this.places[kind]
        while (place.children.length >= AT_MOST) place.firstElementChild.remove()
        place.append(toast)
        if (kind === 'good') this.#leave(toast)
    }

    #leave(toast) {
        setTimeout(() => {
            if (toast.matches(':hover, :focus-within')) this.#leave(toast)
            else toast.remove()
        }, SHOWN_MS)
    }
}
