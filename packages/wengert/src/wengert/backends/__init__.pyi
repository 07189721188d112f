from wengert.backends import cuda as cuda
from wengert.backends import cudnn as cudnn
from wengert.backends import mkl as mkl
from wengert.backends import mkldnn as mkldnn
from wengert.backends import mps as mps
from wengert.backends import openmp as openmp
