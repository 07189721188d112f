from wengert_gradcheck.errors import GradcheckError as GradcheckError
from wengert_gradcheck.gradcheck import gradcheck as gradcheck
from wengert_gradcheck.gradgradcheck import gradgradcheck as gradgradcheck
