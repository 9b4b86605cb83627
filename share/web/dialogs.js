// The two small dialogs: a question, and the host's token. Native <dialog>s: they keep the focus
// inside, close on Escape, and give the focus back.

import {el, newId, setText} from './dom.js'

function open(dialog) {
    document.body.append(dialog)
    return new Promise(resolve => {
        dialog.addEventListener('close', () => {
            dialog.remove()
            resolve(dialog.returnValue)
        })
        dialog.showModal()
    })
}

// Asks; resolves to whether the answer was yes. The focus starts on the harmless answer.
export async function confirm({title, text, details = [], yes, no = 'Cancel'}) {
    const [heading, body] = [newId('heading'), newId('body')]
    const dialog = el(
        'dialog',
        {class: 'question', 'aria-labelledby': heading, 'aria-describedby': body},
        el(
            'form',
            {method: 'dialog'},
            el('h2', {id: heading}, title),
            el(
                'div',
                {id: body},
                el('p', {}, text),
                details.length
                    ? el(
                          'ul',
                          {},
                          details.map(detail => el('li', {}, detail))
                      )
                    : null
            ),
            el(
                'div',
                {class: 'foot'},
                el('button', {value: 'no', autofocus: true}, no),
                el('button', {value: 'yes', class: 'danger'}, yes)
            )
        )
    )
    return (await open(dialog)) === 'yes'
}

// Asks for a token; resolves to it, or to null. `wrong`: one was sent and not taken.
export async function askToken(wrong) {
    const [heading, field, about] = [newId('heading'), newId('token'), newId('about')]
    const input = el('input', {
        id: field,
        type: 'password',
        autocomplete: 'off',
        spellcheck: 'false',
        required: true,
        autofocus: true,
        'aria-describedby': about
    })
    const text = el('p', {id: about})
    setText(
        text,
        wrong
            ? 'The host did not take this token. Its own are IVM_API_TOKEN and IVM_API_READ_TOKEN.'
            : 'This host wants a token (IVM_API_TOKEN). It is kept until this tab is closed.'
    )
    const dialog = el(
        'dialog',
        {class: 'question', 'aria-labelledby': heading},
        el(
            'form',
            {method: 'dialog'},
            el('h2', {id: heading}, 'Token'),
            text,
            el('label', {for: field}, 'Token'),
            input,
            el(
                'div',
                {class: 'foot'},
                el('button', {value: 'no', formnovalidate: true}, 'Cancel'),
                el('button', {value: 'yes', class: 'main'}, 'Use this token')
            )
        )
    )
    // Enter in the field presses a form's first button, which is not the one that is meant.
    input.addEventListener('keydown', event => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        if (input.reportValidity()) dialog.close('yes')
    })
    const answer = await open(dialog)
    return answer === 'yes' ? input.value : null
}
